"""The values of the contract: enums, records, requests, errors. No behaviour, no I/O.

Field names and words are those of the protocol; every struct that crosses the wire has its
JSON Schema under `schemas/`, generated from here.
"""

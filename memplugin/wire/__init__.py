"""A JSON-RPC 2.0 peer over the process's own standard streams. It knows nothing of memory.

```
 stdin ─▶ lines (LineSplitter) ─▶ reading (read) ─▶ peer ─┬─▶ schedule ─▶ dispatch ─▶ handlers
                                                          └─▶ calls (answers to our callbacks)
 stdout ◀── lines (LineWriter) ◀── messages (encode) ◀─────── peer
```

`stdio` claims the descriptors before any of it, `lifetime` says when to stop.
"""

"""The commands for people; never imported while serving."""

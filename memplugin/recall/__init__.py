"""What recall is made of, as pure functions: text, slugs, links, ranking. No files, no clock."""

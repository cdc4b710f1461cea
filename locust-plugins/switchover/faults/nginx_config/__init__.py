"""nginx.conf as Nginx reads it: directives in blocks, includes, and what servers and locations inherit."""

"""A verdict as people and machines read it: `console` (one screen), `page` (a file for browsers), `junit` (a test
case per limit), and `make_report`, which writes what `switchover report DIR` makes again from any run directory."""

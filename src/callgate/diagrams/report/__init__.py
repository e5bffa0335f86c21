"""One run as one HTML page that works offline: `page.py` assembles it, `telling.py` fills it."""

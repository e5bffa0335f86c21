"""What a model reads back, in the shapes of its vendors; and what it asks for, as a batch.

General layout: `convert` makes parts of whatever a tool returned, `truncation` cuts what is too
large; `shapes` prints results as Gemini, OpenAI, Anthropic and MCP read them; `requests` reads
their answers; `records` and `metrics` count what happened.
"""

from callgate.responses.requests import requests_of as requests_of
from callgate.responses.shapes import in_shape as in_shape

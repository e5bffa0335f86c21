"""The kernel: values, events, effects, the call machine, the batch coordinator, `step`.

General layout, bottom up: `frozenjson errors values config plans` are data (`moulds` builds it
fast); `calls events effects` are what goes in and out; `guards guards_running lifecycle moves
deciding running table` are the call machine; `alarms state workspace coordinator submission
cancellation step` are the batch; `outstanding invariants` look at a state from outside. Nothing
here does I/O.
"""

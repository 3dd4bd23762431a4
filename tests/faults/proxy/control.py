"""What the proxy can be told, over a unix socket: each line a JSON object {"do": COMMAND, …}, each answered by a line, {"error": …} if refused.

  open {client}            its port, on which it alone is served              shut {client}   the port is closed, connections are reset
  fault {…}                adds a fault (faults.py); gives its id             clear {id?}     removes one or all
  faults {}                how often each was met
  watches {match}          the live ones                                      hold {match}    their events wait
  release {match, squash}  they go on; squashed: only each object's last      gone {match}    they end with 410, what waited is never seen
  cut {match, bytes, how}  so many bytes, then their end                      freeze {client, match, gets}   a stale view      thaw {client}
  log {since}              writes from that number on                         rights {}       verbs and resources used, with the answers' codes
  asked {client}           how often it asked what: {"get pods": 1}
"""

import json


class Control:
    def __init__(self, house):
        self._house = house

    async def talk(self, reader, writer):
        while line := await reader.readline():
            writer.write(json.dumps(await self._answer(line)).encode() + b"\n")
            await writer.drain()
        writer.close()

    async def _answer(self, line):
        try:
            command = json.loads(line)
            return await getattr(self, "_do_" + command.pop("do"))(**command)
        except Exception as error:  # whatever it is, the asker is told and the proxy goes on
            return {"error": f"{type(error).__name__}: {error}"}

    async def _do_open(self, client):
        return {"port": await self._house.door(client).open()}

    async def _do_shut(self, client):
        self._house.door(client).shut()
        return {}

    async def _do_fault(self, **given):
        return {"id": self._house.table.add(given)}

    async def _do_clear(self, id=None):
        self._house.table.clear(id)
        return {}

    async def _do_faults(self):
        return {"met": {number: fault.met for number, fault in self._house.table.faults.items()}}

    async def _do_watches(self, match):
        return {"watches": [{**watch.request.described(), "events": watch.events} for watch in self._house.watches(match)]}

    async def _do_hold(self, match):
        held = self._house.watches(match)
        for watch in held:
            watch.held = True
        return {"watches": len(held)}

    async def _do_release(self, match, squash=False):
        return {"events": sum([await watch.release(squash) for watch in self._house.watches(match)])}

    async def _do_gone(self, match):
        ended = self._house.watches(match)
        for watch in ended:
            await watch.gone()
        return {"watches": len(ended)}

    async def _do_cut(self, match, bytes, how="reset"):
        met = self._house.watches(match)
        for watch in met:
            await watch.cut_after(bytes, how)
        return {"watches": len(met)}

    async def _do_freeze(self, client, match={}, gets=False):
        return {"resourceVersion": await self._house.door(client).freeze(match, gets)}

    async def _do_thaw(self, client):
        await self._house.door(client).thaw()
        return {}

    async def _do_log(self, since=0):
        return {"writes": self._house.journal.writes[since:]}

    async def _do_asked(self, client):
        return {"asked": {f"{verb} {resource}": count for (one, verb, resource), count in self._house.journal.asked.items() if one == client}}

    async def _do_rights(self):
        return {"rights": self._house.journal.rights()}

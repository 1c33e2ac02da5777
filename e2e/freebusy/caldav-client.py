"""Loads a free/busy page as the CalDAV client of Python does and prints what it understood, as JSON."""
import json
import sys
from datetime import timezone

from caldav import DAVClient
from caldav.objects import DAVObject, FreeBusy

url, user, password = sys.argv[1:4]


def utc(moment):
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def end_of(start, end):
    return end if hasattr(end, "astimezone") else start + end


client = DAVClient(url, username=user, password=password)
page = FreeBusy(DAVObject(client, url), data=None, url=url)
page.load()

busy = page.vobject_instance.vfreebusy
component = next(part for part in page.icalendar_instance.subcomponents if part.name == "VFREEBUSY")
lines = component.get("freebusy", [])
print(
    json.dumps(
        {
            "method": page.vobject_instance.method.value,
            "start": utc(busy.dtstart.value),
            "end": utc(busy.dtend.value),
            "attendee": busy.attendee.value,
            "vobject": [
                [utc(start), utc(end_of(start, end)), line.params.get("FBTYPE", [None])[0]]
                for line in busy.contents.get("freebusy", [])
                for start, end in line.value
            ],
            "icalendar": [
                [utc(line.start), utc(line.end), line.params.get("FBTYPE")]
                for line in (lines if isinstance(lines, list) else [lines])
            ],
        }
    )
)

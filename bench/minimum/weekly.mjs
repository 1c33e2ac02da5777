// Weekly series on the wall clock of their zones: no rules but these.
const DAY = 86_400_000;
const WEEK = 7 * DAY;

const zones = new Map();

/** Changes of the clocks of a zone from 2020 to 2040, found by asking ICU, with the offsets after them. */
export function zoneOf(name) {
  let zone = zones.get(name);
  if (zone) return zone;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const read = (ms) => {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(ms));
    return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  };
  zone = { starts: [-Infinity], offsets: [read(Date.UTC(2020, 0, 1))] };
  for (let hour = Date.UTC(2020, 0, 1); hour < Date.UTC(2040, 0, 1); hour += 3_600_000) {
    const offset = read(hour);
    if (offset === zone.offsets.at(-1)) continue;
    zone.starts.push(hour);
    zone.offsets.push(offset);
  }
  zones.set(name, zone);
  return zone;
}

/** How far the clocks are ahead of UTC at an instant, ms. */
export function offsetAt({ starts, offsets }, ms) {
  let index = starts.length - 1;
  while (starts[index] > ms) index--;
  return offsets[index];
}

/**
 * Starts of a weekly series in a range.
 * @param {{ start: number, zone: string, count: number | null, gone: number[] }} series gone: midnights of the wall clock
 */
export function* weeklyStarts({ start, zone: name, count, gone }, from, to) {
  const zone = zoneOf(name);
  const wall = start + offsetAt(zone, start);
  for (let index = Math.max(0, Math.floor((from - start) / WEEK) - 1); index < (count ?? Infinity); index++) {
    const local = wall + index * WEEK;
    const instant = local - offsetAt(zone, local - offsetAt(zone, local));
    if (instant >= to) break;
    if (instant >= from && !gone.includes(Math.floor(local / DAY) * DAY)) yield instant;
  }
}

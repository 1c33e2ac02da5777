import { TextPieces } from '@groupware/service-kit';
import { createEventTexts, writeChronosResultJson, writeResultJson } from './result-json';

const period = (startMs: number, appointmentId?: number) => ({
  startMs,
  endMs: startMs + 1,
  type: 'BUSY' as const,
  ...(appointmentId !== undefined && { appointmentId }),
});
const reference = { text: '3', id: 3 };
const times = { reference, attendee: { entity: 3 }, periods: [period(1, 7), period(2, 8), period(3, 7), period(4, 7)] };
const details = new Map([[7, { id: '7', folder_id: '31', title: 'a "b"', full_time: false }]]);
const busy = (startTime: number) => ({ startTime, endTime: startTime + 1, fbType: 'BUSY' });

async function toObject(write: (json: TextPieces) => Promise<void>): Promise<{ freeBusyTime?: unknown[] }> {
  const json = new TextPieces();
  await write(json);
  return JSON.parse(json.toJson().text as string) as { freeBusyTime?: unknown[] };
}

describe('results of free/busy', () => {
  it('name the events that are known, in no more periods than they may', async () => {
    const event = { id: '7', folder: 'cal://0/31', summary: 'a "b"' };
    const texts = createEventTexts(details, 2);
    expect(await toObject((json) => writeChronosResultJson(json, times, 'en_US', texts))).toEqual({
      attendee: { entity: 3 },
      freeBusyTime: [{ ...busy(1), event }, busy(2), { ...busy(3), event }, busy(4)],
    });
  });

  it('name none for cooperating services', async () => {
    expect((await toObject((json) => writeResultJson(json, times))).freeBusyTime).toEqual([1, 2, 3, 4].map(busy));
  });

  it('are empty without times for users, and left out for services', async () => {
    const unknown = { reference, attendee: { uri: 'x' } };
    expect(await toObject((json) => writeChronosResultJson(json, unknown, 'en_US'))).toEqual({
      attendee: { uri: 'x' },
      freeBusyTime: [],
    });
    expect(await toObject((json) => writeResultJson(json, unknown))).toEqual({ attendee: { uri: 'x' } });
  });
});

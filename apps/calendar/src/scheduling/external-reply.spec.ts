import type { CalendarAttendee, CalendarEvent } from '@groupware/icalendar';
import type { Attendee } from '../domain/appointment';
import { findReply, applyExternalReply } from './external-reply';

const event = (attendees: readonly CalendarAttendee[], comment?: string) =>
  ({
    attendees,
    extraProperties: comment === undefined ? [] : [['comment', {}, 'text', comment]],
  }) as unknown as CalendarEvent;
const zoe: CalendarAttendee = { uri: 'MAILTO:Zoe@Elsewhere.example', partStat: 'accepted' };

describe('the answer that an event of a REPLY gives', () => {
  it.each<[string, readonly CalendarAttendee[], string | undefined, boolean, number | undefined]>([
    ['the attendee himself', [zoe], 'zoe@elsewhere.example', false, 1],
    ['a bare address', [{ ...zoe, uri: 'zoe@elsewhere.example' }], 'zoe@elsewhere.example', false, 1],
    ['who says to write for him', [{ ...zoe, sentBy: 'mailto:aid@x.example' }], 'aid@x.example', false, undefined],
    ['somebody else', [zoe], 'mallory@x.example', false, undefined],
    ['somebody else, allowed', [zoe], 'mallory@x.example', true, 1],
    ['nobody', [zoe], undefined, false, undefined],
    ['somebody else for several', [zoe, { ...zoe, uri: 'mailto:b@x.example' }], 'm@x.example', true, undefined],
    ['no answer', [{ ...zoe, partStat: 'NEEDS-ACTION' }], 'zoe@elsewhere.example', false, undefined],
    ['no attendee', [], 'zoe@elsewhere.example', true, undefined],
    ['declined', [{ ...zoe, partStat: 'DECLINED' }], 'zoe@elsewhere.example', false, 2],
    ['tentative', [{ ...zoe, partStat: 'TENTATIVE' }], 'zoe@elsewhere.example', false, 3],
  ])('%s', (_who, attendees, sender, anySender, confirm) => {
    expect(findReply(event(attendees), sender, anySender)).toEqual(
      confirm === undefined ? undefined : { mail: 'zoe@elsewhere.example', confirm },
    );
  });

  it('has what was said to it', () => {
    const sender = 'zoe@elsewhere.example';
    expect(findReply(event([zoe], ' Late\u0000 '), sender, false)?.message).toBe('Late');
    expect(findReply(event([{ ...zoe, comment: 'Own' }], 'x'), sender, false)?.message).toBe('Own');
    expect(findReply(event([zoe], 'x'.repeat(5_000)), sender, false)?.message).toHaveLength(3_000);
  });

  it('changes the row of the external participant alone', () => {
    const rows = [
      { type: 1, entity: 3, mail: 'zoe@elsewhere.example', confirm: 0, message: null, hidden: false },
      { type: 5, entity: null, mail: 'Zoe@elsewhere.example', confirm: 0, message: 'old', hidden: false },
    ] as unknown as Attendee[];
    const answer = { mail: 'zoe@elsewhere.example', confirm: 1 };
    const after = applyExternalReply(rows, answer)!;
    expect(after).toEqual([rows[0], { ...rows[1], confirm: 1 }]);
    expect(applyExternalReply(after, answer)).toBeUndefined();
    expect(applyExternalReply(rows.slice(0, 1), answer)).toBeUndefined();
  });
});

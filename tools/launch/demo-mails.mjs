import { ImapFlow } from 'imapflow';
import { createTransport } from 'nodemailer';

const HOUR_MS = 3_600_000;
/** A picture of 24 by 24 points: one colour, as small as a PNG can be. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAIAAABvFaqvAAAAH0lEQVR42mOQz39NFcQwatCoQaMGjRo0atCoQQNvEACA01Bu+pxpmwAAAABJRU5ErkJggg==',
  'base64',
);
const FIGURES = 'region,first quarter,second quarter\nNorth,120400,131900\nSouth,98300,104750\nWest,143000,139200\n';

/**
 * Puts some mails into the mailboxes of the first two people: a thread with what they sent themselves, a mail with an
 * attachment, one in HTML with a picture, and some that are unread.
 * @param {{ host: string, port: number, password: string }} server
 * @param {readonly { name: string, address: string }[]} people
 */
export async function fillMailboxes(server, people, now = Date.now()) {
  const [anna, ben, chloe, , , , greta] = people;
  const mails = mailsOf({ anna, ben, chloe, greta });
  const writer = createTransport({ streamTransport: true, buffer: true });
  for (const owner of [anna, ben]) {
    const client = new ImapFlow({
      ...{ host: server.host, port: server.port, secure: false, doSTARTTLS: false, logger: false },
      auth: { user: owner.address, pass: server.password },
    });
    await client.connect();
    try {
      for (const { hoursAgo, unread = [], ...mail } of mails) {
        const date = new Date(now - hoursAgo * HOUR_MS);
        const places = [
          ...(mail.from === owner ? [['Sent', ['\\Seen']]] : []),
          ...(mail.to.includes(owner) ? [['INBOX', unread.includes(owner) ? [] : ['\\Seen']]] : []),
        ];
        if (places.length === 0) continue;
        const { message } = await writer.sendMail({ ...mail, date });
        for (const [folder, flags] of places) await client.append(folder, message, flags, date);
      }
    } finally {
      await client.logout();
    }
  }
}

/** The mails in their order; hoursAgo: when they were sent; unread: whose copy is unread. */
function mailsOf({ anna, ben, chloe, greta }) {
  const id = (name) => `<${name}@demo.example>`;
  return [
    {
      ...{
        hoursAgo: 75,
        messageId: id('figures'),
        from: chloe,
        to: [anna, ben],
        subject: 'Figures of the second quarter',
      },
      text: 'Hello,\n\nhere are the figures that we spoke about. North and South grew, West lost a little.\n\nChloé\n',
      attachments: [{ filename: 'figures.csv', content: FIGURES, contentType: 'text/csv' }],
    },
    {
      ...{ hoursAgo: 51, messageId: id('booth-1'), from: anna, to: [ben], subject: 'Booth at the Berlin Expo' },
      text: 'Hi Ben,\n\ncould you take the booth on Wednesday morning? I am free from eleven.\n\nAnna\n',
    },
    {
      ...{ hoursAgo: 49, messageId: id('booth-2'), from: ben, to: [anna], subject: 'Re: Booth at the Berlin Expo' },
      ...{ inReplyTo: id('booth-1'), references: [id('booth-1')] },
      text: 'Sure. Do we have enough brochures?\n\nBen\n\n> could you take the booth on Wednesday morning? I am free from eleven.\n',
    },
    {
      ...{ hoursAgo: 48, messageId: id('booth-3'), from: anna, to: [ben], subject: 'Re: Booth at the Berlin Expo' },
      ...{ inReplyTo: id('booth-2'), references: [id('booth-1'), id('booth-2')], unread: [ben] },
      text: 'Two boxes are on their way.\n\nAnna\n\n> Sure. Do we have enough brochures?\n',
    },
    {
      ...{
        hoursAgo: 26,
        messageId: id('newsletter'),
        from: greta,
        to: [anna, ben],
        subject: 'What is new in the next release',
      },
      text: 'The calendar is faster, and mails may have pictures.\n',
      html:
        '<h2 style="color:#1f6feb">What is new in the next release</h2>' +
        '<p><img src="cid:picture@demo.example" alt="a picture" width="24" height="24"> The calendar is <b>faster</b>, ' +
        'and mails may have pictures.</p><ul><li>Threads</li><li>Rules</li><li>Push</li></ul>',
      attachments: [
        { filename: 'picture.png', content: PICTURE, contentType: 'image/png', cid: 'picture@demo.example' },
      ],
    },
    {
      ...{ hoursAgo: 2, messageId: id('lunch'), from: ben, to: [anna], subject: 'Lunch on Tuesday?', unread: [anna] },
      text: 'Shall we try the new place around the corner?\n\nBen\n',
    },
    {
      ...{ hoursAgo: 1, messageId: id('welcome'), from: chloe, to: [ben], subject: 'Travel to Berlin', unread: [ben] },
      text: 'The train leaves at 7:32. Seats are booked.\n\nChloé\n',
    },
  ];
}

// The composed minimum of questions to a mailbox, service: NATS request -> one command on a warm connection -> bytes back.
import { RawImap } from '../lib/raw-protocols.mjs';
import { connectBus } from './connect-bus.mjs';

const { IMAP_PORT, IMAP_LOGIN, CA, QUESTIONS } = process.env;
const bus = await connectBus();
for (const { name, folder, command } of JSON.parse(QUESTIONS)) {
  const imap = await RawImap.open({ port: Number(IMAP_PORT), ca: CA, login: IMAP_LOGIN });
  await imap.ask(`EXAMINE "${folder}"`);
  // A connection answers one command at a time.
  let last = Promise.resolve();
  bus.subscribe(`bench-minimum.${name}`, {
    queue: 'bench-minimum',
    callback: (_error, message) => {
      last = last
        .then(async () => message.respond(await imap.ask(command)))
        .catch((error) => {
          console.error(error);
          message.respond('{"error":"failed"}');
        });
    },
  });
}
await bus.flush();
console.log('ready');
process.once('SIGTERM', () => process.exit(0));

import { createSocket } from 'node:dgram';
import { decode, encode, type Answer, type RecordType } from 'dns-packet';

/** Records of a name server of a test. Names in lower case. */
export interface Zone {
  readonly [name: string]: {
    readonly a?: readonly string[];
    readonly aaaa?: readonly string[];
    readonly mx?: readonly { readonly exchange: string; readonly preference: number }[];
    readonly srv?: readonly { readonly target: string; readonly port: number; readonly priority?: number }[];
  };
}

/** A running name server. */
export interface NameServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Questions so far, `A name`, in the order they came. */
  readonly questions: string[];
  /** Records that it answers from now on. */
  zone: Zone;
  close(): Promise<void>;
}

/**
 * Starts a name server on loopback.
 * @param answer asked before the zone, for answers that change; undefined: the zone answers, `silence`: no answer
 */
export async function startNameServer(
  zone: Zone = {},
  answer: (name: string, type: RecordType) => Answer[] | 'silence' | undefined = () => undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  const server: { zone: Zone } = { zone };
  socket.on('message', (message, { address, port }) => {
    const query = decode(message);
    const question = query.questions?.[0];
    if (!question) return;
    const name = question.name.toLowerCase();
    questions.push(`${question.type} ${name}`);
    const answers = answer(name, question.type) ?? answersOf(server.zone, name, question.type);
    if (answers === 'silence') return;
    const NAME_ERROR = 3;
    const known = answers.length > 0 || name in server.zone;
    socket.send(
      encode({ type: 'response', id: query.id ?? 0, flags: known ? 0 : NAME_ERROR, questions: [question], answers }),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return Object.assign(server, {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  });
}

function answersOf(zone: Zone, name: string, type: RecordType): Answer[] {
  const records = zone[name];
  if (!records) return [];
  const ttl = 0;
  switch (type) {
    case 'A':
      return (records.a ?? []).map((data) => ({ type, name, ttl, data }));
    case 'AAAA':
      return (records.aaaa ?? []).map((data) => ({ type, name, ttl, data }));
    case 'MX':
      return (records.mx ?? []).map((data) => ({ type, name, ttl, data }));
    case 'SRV':
      return (records.srv ?? []).map((data) => ({ type, name, ttl, data }));
    default:
      return [];
  }
}

import { randomBytes } from 'node:crypto';
import type { AdminPrincipal, Principal, ServicePrincipal, UserPrincipal } from '@groupware/contracts';
import { headers as natsHeaders, type MsgHdrs } from 'nats';
import { Principals, publicHalfOf } from './principals';
import { HEADER } from './wire';

const seed = randomBytes(32);
const NOW = 1_600_000_000_000;
let now = NOW;
const clock = () => now;
const gateway = new Principals({ signing: seed }, 'gw', clock);
const service = () => new Principals({ trusted: [publicHalfOf(seed)] }, 'gw', clock);

const user: UserPrincipal = {
  ...{ kind: 'user', contextId: 5, userId: 7, groups: [0, 3], locale: 'de_DE', timeZone: 'Europe/Berlin' },
  ...{ capabilities: ['calendar'], login: 'ann', displayName: 'Änne', email: 'ann@example.com', sessionId: 's' },
};
const master: AdminPrincipal = { kind: 'master', login: 'master' };
const own: ServicePrincipal = { kind: 'internal', service: 'folders', contextId: 5 };

function writePrincipal(
  by: Principals,
  principal: Principal,
  deadline = now + 30_000,
  maySign = by === gateway,
): MsgHdrs {
  const headers = natsHeaders();
  by.write(headers, principal, deadline, maySign);
  return headers;
}
const changed = (headers: MsgHdrs, changes: Readonly<Record<string, string | undefined>>): MsgHdrs => {
  const copy = natsHeaders();
  for (const [name, values] of headers) copy.set(name, values[0]!);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) copy.delete(name);
    else copy.set(name, value);
  }
  return copy;
};

beforeEach(() => (now = NOW));

describe('principals on the bus', () => {
  it.each<[string, Principal]>([
    ['a user', user],
    ['an administrator', master],
    ['a service', own],
    ['nobody', { kind: 'anonymous' }],
    ['a service for a user', { ...own, user }],
  ])('%s arrives as sent', (_who, principal) => {
    const reader = service();
    const headers = writePrincipal(gateway, principal);
    expect(reader.read(headers)).toEqual(principal);
    // Known from now on.
    expect(reader.read(headers)).toEqual(principal);
  });

  it('a service passes on whom it serves, alone and in its own name, and nobody else', () => {
    const [first, second] = [service(), service()];
    const served = first.read(writePrincipal(gateway, user)) as UserPrincipal;
    expect(second.read(writePrincipal(first, served))).toEqual(user);
    expect(second.read(writePrincipal(first, { ...own, user: served }))).toEqual({ ...own, user });
    for (const made of [
      { ...served, userId: 8 },
      { ...served, capabilities: [...served.capabilities, 'infostore'] },
      master,
      { ...own, user: { ...served, userId: 8 } },
    ] as Principal[])
      expect(() => writePrincipal(first, made)).toThrow(/whose call is not being served/);
    expect(() => writePrincipal(service(), user)).toThrow(/whose call is not being served/);
  });

  it('refuses what a thief of a login for the bus may send', () => {
    const headers = writePrincipal(gateway, user);
    const inName = writePrincipal(gateway, { ...own, user });
    const text = headers.get(HEADER.principal);
    const proof = headers.get(HEADER.proof);
    const [until, signature] = proof.split('.') as [string, string];
    const stranger = new Principals({ signing: randomBytes(32) }, 'gw', clock);
    const elsewhere = new Principals({ signing: seed }, 'other', clock);
    const other = JSON.stringify({ ...user, userId: 8 });
    const attacks: Record<string, MsgHdrs> = {
      'no proof': changed(headers, { [HEADER.proof]: undefined }),
      'an empty proof': changed(headers, { [HEADER.proof]: '.' }),
      'no signature': changed(headers, { [HEADER.proof]: `${until}.` }),
      'no end': changed(headers, { [HEADER.proof]: `.${signature}` }),
      'an endless proof': changed(headers, { [HEADER.proof]: `Infinity.${signature}` }),
      'a later end': changed(headers, { [HEADER.proof]: `${Number(until) + 1}.${signature}` }),
      'another user': changed(headers, { [HEADER.principal]: other }),
      'another capability': changed(headers, {
        [HEADER.principal]: JSON.stringify({ ...user, capabilities: ['calendar', 'infostore'] }),
      }),
      'another spelling': changed(headers, { [HEADER.principal]: text.replace('{', '{ ') }),
      'an administrator by the proof of a user': changed(headers, { [HEADER.principal]: JSON.stringify(master) }),
      'the key of a stranger': writePrincipal(stranger, user, undefined, true),
      'the proof of another installation': writePrincipal(elsewhere, user, undefined, true),
      'a user within a service': changed(headers, {
        [HEADER.principal]: JSON.stringify({ ...own, user }),
        [HEADER.proof]: undefined,
      }),
      'a service for a user of another context': changed(inName, {
        [HEADER.principal]: JSON.stringify({ ...own, contextId: 6 }),
      }),
      'a service for another user': changed(inName, { [HEADER.actingFor]: other }),
      'a service for an administrator': changed(writePrincipal(gateway, master), {
        [HEADER.principal]: JSON.stringify(own),
        [HEADER.actingFor]: JSON.stringify(master),
      }),
      'a user for a user': changed(headers, { [HEADER.actingFor]: text }),
      'nobody for a user': changed(inName, { [HEADER.principal]: '{"kind":"anonymous"}' }),
      'a kind that there is not': changed(headers, { [HEADER.principal]: '{"kind":"root"}' }),
    };
    // Whether it knows the true ones or not.
    for (const reader of [service(), withKnown(headers, inName)])
      for (const [attack, sent] of Object.entries(attacks))
        expect([attack, isRefused(() => reader.read(sent))]).toEqual([attack, true]);
  });

  it('a proof ends; the gateway makes a new one before, and one for a long call that lasts', () => {
    const reader = service();
    const headers = writePrincipal(gateway, user);
    const served = reader.read(headers);
    now += 50_000;
    expect(writePrincipal(gateway, user).get(HEADER.proof)).toBe(headers.get(HEADER.proof));
    now += 20_000;
    expect(writePrincipal(gateway, user).get(HEADER.proof)).not.toBe(headers.get(HEADER.proof));
    now = NOW + 120_000;
    expect(() => reader.read(headers)).toThrow(/ended/);
    expect(() => service().read(headers)).toThrow(/ended/);
    expect(() => writePrincipal(reader, served)).toThrow(/whose call is not being served/);
    const long = writePrincipal(gateway, user, now + 600_000);
    now += 599_000;
    expect(reader.read(long)).toEqual(user);
  });

  it('believes several keys while one takes over from another', () => {
    const next = randomBytes(32);
    const reader = new Principals({ trusted: [next, seed].map(publicHalfOf) }, 'gw', clock);
    expect(reader.read(writePrincipal(gateway, user))).toEqual(user);
    expect(reader.read(writePrincipal(new Principals({ signing: next }, 'gw', clock), user, undefined, true))).toEqual(
      user,
    );
  });

  it('believes the bus where there are no keys', () => {
    const [first, second] = [new Principals({}, 'gw', clock), new Principals({}, 'gw', clock)];
    for (const principal of [user, master, own, { ...own, user }] as Principal[])
      expect(second.read(writePrincipal(first, principal))).toEqual(principal);
  });
});

function withKnown(...sent: MsgHdrs[]): Principals {
  const reader = service();
  for (const headers of sent) reader.read(headers);
  return reader;
}
function isRefused(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}

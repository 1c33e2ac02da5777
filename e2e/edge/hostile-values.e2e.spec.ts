import { operations, type Operation } from '@groupware/contracts';
import { created } from '../calendar/calendar';
import { createCast, createContext, createPlayer, type Cast, type Player } from '../cast';
import { nameOf } from '../samples';
import { startWorld, type World } from '../world';
import { ask, type AttemptCaller, attempts, isUnforeseen } from './attempts';

const AT_ONCE = 4;

let world: World;
let cast: Cast;
let player: Player;
let appointment: string;
/** A context for administrators to do with as they like, and a user of it. */
let victim = { contextId: 0, userId: 0 };
let serial = 0;

/** Another user: some operations end sessions or change whom they are for. */
async function freshPlayer(): Promise<void> {
  player = await createPlayer(world, cast.admin, cast.contextId, `h${(serial += 1)}`);
  const path = `/admin/v1/contexts/${cast.contextId}/users/${player.userId}`;
  await cast.admin.expect('PATCH', path, { capabilities: { add: ['edit_group', 'edit_resource', 'edit_password'] } });
  const start = Date.UTC(2035, 4, 7, 9);
  appointment = await created(player, { start_date: start, end_date: start + 3_600_000 });
}

async function freshVictim(): Promise<void> {
  const contextId = await createContext(cast.admin, 'victim');
  const name = `v${(serial += 1)}`;
  const { id } = await cast.admin.expect('POST', `/admin/v1/contexts/${contextId}/users`, {
    ...{ name, displayName: name, surname: 'V', password: 'victims 1 password' },
    primaryEmail: `${name}@c${contextId}.example`,
  });
  victim = { contextId, userId: id };
}

beforeAll(async () => {
  world = await startWorld({
    variables: {
      GATEWAY_REST_FAILURES_PER_MINUTE: '1000000',
      GATEWAY_LOGINS_PER_MINUTE: '1000000',
      IDENTITY_HASH_MEMORY_KIB: '64',
      IDENTITY_HASH_PASSES: '1',
    },
  });
  cast = await createCast(world);
  await freshPlayer();
}, 120_000);
afterAll(() => world?.close());

const offered = operations.filter(({ kind }) => kind !== 'internal');

describe('whatever a field is set to, the answer is one that was foreseen', () => {
  it.each(offered.map((operation): [string, Operation] => [nameOf(operation), operation]))(
    '%s',
    async (_name, operation) => {
      if (operation.kind === 'rest') await freshVictim();
      const wrong: string[] = [];
      const caller: AttemptCaller = { world, player, appointment, victim, nextSerial: () => (serial += 1) };
      const all = [...attempts(operation, caller)];
      for (let start = 0; start < all.length; start += AT_ONCE) {
        await Promise.all(
          all.slice(start, start + AT_ONCE).map(async (attempt) => {
            try {
              const answer = await ask(operation, attempt, caller);
              if (isUnforeseen(answer)) wrong.push(`${attempt.what}: ${answer.status} ${answer.text.slice(0, 200)}`);
            } catch (error) {
              wrong.push(`${attempt.what}: ${String(error)}`);
            }
          }),
        );
      }
      expect(wrong.slice(0, 5)).toEqual([]);
      if (operation.kind !== 'rest' && (await player.get('user', 'get')).code) await freshPlayer();
    },
    120_000,
  );
});

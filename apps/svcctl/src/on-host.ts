import type * as Host from '@groupware/host';
import { EXIT, Stop } from './exit';
import type { Session } from './session';

/** Runs work on the servers themselves. It needs the code of all modules, which the other commands do without. */
export async function onHost(
  session: Session,
  work: (session: Session, host: typeof Host) => Promise<void>,
): Promise<void> {
  const host = await import('@groupware/host');
  try {
    await work(session, host);
  } catch (error) {
    if (error instanceof Stop) throw error;
    const { isConnectionFailure } = await import('@groupware/persistence');
    const cause = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
    throw new Stop(isConnectionFailure(error) ? EXIT.unreachable : EXIT.refused, cause.message);
  }
}

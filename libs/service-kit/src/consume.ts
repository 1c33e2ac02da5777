import { callsLogger, type EventMessage } from '@groupware/contracts';
import { foreseen } from '@groupware/messaging';
import { consumeOnce, type ModuleDatabase } from '@groupware/persistence';
import type { Consumer } from './define-service';
import { describeError } from './describe-error';
import { Logger, withLabels } from './log/logger';

/** Runs a consumer once per event: the note about the event shares the transaction of its effect. */
export async function consume(
  service: string,
  consumer: Consumer<unknown, unknown>,
  message: EventMessage,
  database: ModuleDatabase | undefined,
): Promise<void> {
  if (!database) throw new Error(`the service ${service} consumes events but has no database`);
  const requestId = `event ${message.id}`;
  try {
    await withLabels({ requestId, module: service, action: message.name, context: message.contextId }, async () => {
      const prepared = await consumer.prepare?.(message as never);
      await consumeOnce(database, `${service}.${consumer.constructor.name}`, message, (tx) =>
        consumer.handle(message as never, tx, prepared),
      );
    });
  } catch (error) {
    const known = foreseen(error);
    const fields = { requestId, event: message.name, errorId: known.errorId, error: describeError(error) };
    Logger.for(callsLogger(service)).error(fields, 'event failed');
    throw known;
  }
}

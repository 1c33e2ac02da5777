import './heap';
import { moduleNamesOf, startHost } from './start-host';

/** Starts the process that the environment describes. */
async function main(): Promise<void> {
  const running = await startHost(process.env);
  process.stdout.write(`ready ${running.publicUrl ?? '-'} ${running.internalUrl}\n`);
  process.on('SIGHUP', () => void running.reload());
  const end = (stop: Promise<void>) =>
    void stop.then(
      () => process.exit(0),
      () => process.exit(1),
    );
  process.once('SIGTERM', () => end(running.leave()));
  // A user at a keyboard has no balancer; pressed while the process leaves, it ends the pause.
  process.once('SIGINT', () => end(running.close()));
}

main().catch((error: unknown) => {
  process.stderr.write(`Not started (${moduleNamesOf(process.env).join(', ')}): ${describe(error)}\n`);
  process.exit(1);
});

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return error.message ? `${error.message}${cause}` : (error.stack ?? error.name);
}

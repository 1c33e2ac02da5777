import { AsyncLocalStorage } from 'node:async_hooks';
import pino, { type Logger as Pino } from 'pino';

/** What every line of a call's log carries. */
export interface LogLabels {
  readonly requestId?: string;
  readonly module?: string;
  readonly action?: string;
  readonly context?: number;
  readonly user?: number;
}

const labels = new AsyncLocalStorage<LogLabels>();

/** Runs something with labels that every log line inside carries. */
export const withLabels = <T>(values: LogLabels, run: () => T): T => labels.run(values, run);

let root: Pino = pino({
  level: 'info',
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (level) => ({ level }) },
  mixin: () => labels.getStore() ?? {},
  // The last line of defence: fields of these names are never written, wherever they stand.
  redact: {
    paths: ['password', '*.password', 'secret', '*.secret', 'authorization', '*.authorization', 'cookie', '*.cookie'],
    censor: '***',
  },
});

/** Sets the level of the whole process. */
export function setLogLevel(level: string): void {
  root.level = level;
}

/** Sends the log elsewhere: for tests. */
export function setLogDestination(stream: { write(line: string): void }, level = 'trace'): void {
  root = pino(
    { level, base: undefined, mixin: () => labels.getStore() ?? {} },
    stream as unknown as pino.DestinationStream,
  );
}

/** A log of one subsystem: fields instead of sentences, never a secret. */
export class Logger {
  private child: Pino | undefined;
  private parent: Pino | undefined;

  private constructor(readonly name: string) {}

  /** The logger of a subsystem, such as `calendar.conflicts`. */
  static for(name: string): Logger {
    return new Logger(name);
  }

  debug(fields: object, message?: string): void {
    this.pino.debug(fields, message);
  }
  info(fields: object, message?: string): void {
    this.pino.info(fields, message);
  }
  warn(fields: object, message?: string): void {
    this.pino.warn(fields, message);
  }
  error(fields: object, message?: string): void {
    this.pino.error(fields, message);
  }

  private get pino(): Pino {
    if (!this.child || this.parent !== root) {
      this.parent = root;
      this.child = root.child({ logger: this.name });
    }
    return this.child;
  }
}

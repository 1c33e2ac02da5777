import { statSync } from 'node:fs';

/** One part of the configuration that lies in files. */
export interface WatchedFiles {
  /** For the log. */
  readonly name: string;
  /** Files and folders whose change means that the part must be read again. */
  files(): readonly string[];
  /** Reads the files and puts them into force; answers what is wrong. With problems the former state must stay. */
  read(): readonly string[] | Promise<readonly string[]>;
}

interface Followed {
  readonly part: WatchedFiles;
  prints: ReadonlyMap<string, string>;
}

/** Computes fingerprints of files. Kubernetes mounts change by swapping a link, which changes inode and time, too. */
const computeFingerprints = (files: readonly string[]): Map<string, string> =>
  new Map(
    files.map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return [file, stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : 'none'];
    }),
  );

const differ = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): boolean =>
  before.size !== after.size || [...after].some(([file, print]) => before.get(file) !== print);

/**
 * Polls the configuration files, so changes apply without a restart. Polling, because watchers miss changes of mounted
 * files.
 */
export class ConfigurationFiles {
  private readonly followed: Followed[] = [];
  private readonly listeners: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  /**
   * @param everyMs pause between looks, ms; 0: only {@link reload} reads again
   * @param report receives each reload with its problems
   */
  constructor(
    private readonly everyMs: number,
    private readonly report: (name: string, problems: readonly string[]) => void,
  ) {}

  /** Follows a part whose state was read already. */
  watch(part: WatchedFiles): void {
    this.followed.push({ part, prints: computeFingerprints(part.files()) });
    if (this.timer || this.everyMs <= 0) return;
    this.timer = setInterval(() => void this.checkForChanges(), this.everyMs);
    this.timer.unref();
  }

  /** Hears of changes after they are in force. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Reads the parts whose files changed. */
  checkForChanges(): Promise<void> {
    return this.each(({ part, prints }) => differ(prints, computeFingerprints(part.files())));
  }

  /** Reads all parts, changed or not: for SIGHUP. */
  reload(): Promise<void> {
    return this.each(() => true);
  }

  /** Ends the looks. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private each(wanted: (followed: Followed) => boolean): Promise<void> {
    const next = this.running.then(async () => {
      let changed = false;
      for (const followed of this.followed) {
        if (!wanted(followed)) continue;
        // Taken before the reading: what changes meanwhile is read once more.
        const before = computeFingerprints(followed.part.files());
        const problems = await this.tryRead(followed.part);
        // The part may consist of other files now.
        followed.prints = new Map(
          followed.part
            .files()
            .map((file) => [file, before.get(file) ?? (computeFingerprints([file]).get(file) as string)]),
        );
        this.report(followed.part.name, problems);
        changed ||= problems.length === 0;
      }
      if (changed) for (const listener of this.listeners) listener();
    });
    this.running = next.catch(() => undefined);
    return next;
  }

  private async tryRead(part: WatchedFiles): Promise<readonly string[]> {
    try {
      return await part.read();
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  }
}

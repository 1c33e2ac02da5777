import type { BackupManifest } from '@groupware/persistence';
import type { Command } from 'commander';
import { EXIT, Stop } from './exit';
import { onHost } from './on-host';
import { table } from './output';
import { show, type Connect, type Session } from './session';

interface Options {
  readonly postgresBin?: string;
}

/** `backup`, `check-backup`, `check-files` and `restore`: work on the servers themselves, with the settings of the services. */
export function addBackup(program: Command, connect: Connect): void {
  const add = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .argument('<folder>', 'folder of the backup')
      .option('--postgres-bin <folder>', 'folder with pg_dump and pg_restore; default: the usual ones');
  add('backup', 'Dumps the databases of all shards into a new folder, and checks what was written').action(
    (folder: string, { postgresBin }: Options) =>
      onHost(connect(), async (session, { backUpInstallation }) =>
        showManifest(session, await backUpInstallation(session.terminal.environment, folder, { folder: postgresBin })),
      ),
  );
  add('check-backup', 'Compares a backup with its manifest').action((folder: string, { postgresBin }: Options) =>
    onHost(connect(), async (session) => {
      const { checkBackup } = await import('@groupware/persistence');
      showManifest(session, await checkBackup(folder, { folder: postgresBin }));
    }),
  );
  program
    .command('check-files')
    .description('Looks in the file stores for every file that the databases name')
    .action(() =>
      onHost(connect(), async (session, { checkFiles }) => {
        const report = await checkFiles(session.terminal.environment);
        const lines = report.problems.map(
          ({ contextId, storeId, reference, problem }) =>
            `${reference} of context ${contextId} in the file store ${storeId} ${problem}`,
        );
        show(
          session,
          report,
          [...lines, `${report.files} files, ${report.bytes} bytes; ${report.wrong} wrong`].join('\n'),
        );
        if (report.wrong > 0)
          throw new Stop(EXIT.refused, `${report.wrong} of ${report.files} files are not as rows say`);
      }),
    );
  add('restore', 'Brings a backup back while no service runs; ends all sessions and throws away events')
    .option('--replace', 'drop what the databases have of this product')
    .action((folder: string, { postgresBin, replace = false }: Options & { replace?: boolean }) =>
      onHost(connect(), async (session, { restoreInstallation }) => {
        const { environment } = session.terminal;
        const report = await restoreInstallation(environment, folder, { replace, programs: { folder: postgresBin } });
        const { manifest, sessionsEnded, eventsDiscarded } = report;
        const text = `${textOf(manifest)}\n${sessionsEnded} sessions ended, events ${eventsDiscarded ? 'thrown away' : 'were none'}`;
        show(session, report, text);
      }),
    );
}

const showManifest = (session: Session, manifest: BackupManifest): void => show(session, manifest, textOf(manifest));

function textOf({ shards }: BackupManifest): string {
  const rows = shards.map(({ shard, file, bytes, rows: counts, sha256 }) => ({
    shard,
    file,
    bytes,
    tables: Object.keys(counts).length,
    rows: Object.values(counts).reduce((sum, count) => sum + count, 0),
    sha256,
  }));
  return table(rows, ['shard', 'file', 'bytes', 'tables', 'rows', 'sha256']);
}

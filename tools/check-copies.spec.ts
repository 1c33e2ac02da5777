import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { equalRuns } from './checks/equal-lines.mjs';
import { differencesOfModuleLists } from './checks/module-lists.mjs';

let root: string;
const write = (file: string, content = '') => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.writeFileSync(path.join(root, file), content);
};
const statements = (count: number, prefix = 'step') =>
  Array.from({ length: count }, (_, index) => `${prefix}(${index});`).join('\n');

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'check-copies-'));
});
afterEach(() => fs.rmSync(root, { recursive: true }));

describe('module lists', () => {
  const writeModule = (name: string) => {
    write(`apps/${name}/package.json`, '{}');
    write(`k8s/modules/${name}/kustomization.yaml`);
    write(`libs/contracts/src/${name}/${name}.contract.ts`);
  };
  const writeModules = (...names: string[]) => {
    write('k8s/overlays/production/kustomization.yaml', names.map((name) => `  - ../../modules/${name}`).join('\n'));
    write(
      'apps/host/src/modules.ts',
      names.map((name) => `  '${name}': () => import('@groupware/${name}'),`).join('\n'),
    );
  };

  const house = (...names: string[]) =>
    write('ARCHITECTURE.md', names.map((name) => `| \`apps/${name}\` | things | other things |`).join('\n'));

  beforeEach(() => {
    for (const name of ['calendar', 'mail-account']) writeModule(name);
    write('apps/host/package.json', '{}');
    write('apps/svcctl/package.json', '{}');
    write('libs/contracts/src/kit/operation.ts');
    house('calendar', 'mail-account', 'host', 'svcctl');
    writeModules('calendar', 'mail-account');
  });

  it('agree when every module stands in all four places', () => {
    expect(differencesOfModuleLists(root)).toEqual([]);
  });

  it('let the gateway be without a contract, and answer the contracts of the edge', () => {
    write('apps/gateway/package.json', '{}');
    write('k8s/modules/gateway/kustomization.yaml');
    write('libs/contracts/src/edge/multiple.contract.ts', "defineModule('multiple', {}, { service: 'gateway' })");
    writeModules('calendar', 'mail-account', 'gateway');
    house('calendar', 'mail-account', 'gateway', 'host', 'svcctl');
    expect(differencesOfModuleLists(root)).toEqual([]);
  });

  it.each([
    ['apps/calendar', 'apps/host/src/modules.ts names calendar'],
    ['k8s/modules/calendar', 'calendar has no k8s/modules/calendar/kustomization.yaml'],
    ['libs/contracts/src/calendar', 'apps/calendar has no contract'],
  ])('tell that %s is missing', (folder, sentence) => {
    fs.rmSync(path.join(root, folder), { recursive: true });
    expect(differencesOfModuleLists(root).join('\n')).toContain(sentence);
  });

  it('tell that a module is neither loaded nor in production', () => {
    writeModules('calendar');
    expect(differencesOfModuleLists(root)).toEqual([
      'apps/mail-account has no line in apps/host/src/modules.ts',
      'k8s/modules/mail-account has no line in apps/host/src/modules.ts',
      'k8s/overlays/production does not name ../../modules/mail-account',
    ]);
  });

  it('find the contracts of areas in folders of their own', () => {
    fs.rmSync(path.join(root, 'libs/contracts/src/calendar'), { recursive: true });
    write('libs/contracts/src/calendar/series/series.contract.ts');
    expect(differencesOfModuleLists(root)).toEqual([]);
  });

  it('tell which app the table of the architecture forgets, names twice or made up', () => {
    house('calendar', 'calendar', 'host', 'svcctl', 'tasks');
    expect(differencesOfModuleLists(root)).toEqual([
      'ARCHITECTURE.md does not say what lives in apps/mail-account',
      'ARCHITECTURE.md has a row for apps/tasks, which is no folder',
      'ARCHITECTURE.md has several rows for apps/calendar',
    ]);
  });

  it('tell that nobody answers a contract', () => {
    write('libs/contracts/src/tasks/tasks.contract.ts');
    expect(differencesOfModuleLists(root)).toEqual([
      'libs/contracts/src has operations that tasks should answer, which is no folder in apps',
    ]);
  });

  it('asks for the label of modules that connect to hosts outside, however they come to do it', () => {
    write('libs/mail/package.json', '{"name":"@groupware/mail","dependencies":{"@groupware/outbound":"*"}}');
    expect(differencesOfModuleLists(root)).toEqual([]);
    write('apps/calendar/package.json', '{"name":"c","dependencies":{"@groupware/mail":"*"}}');
    expect(differencesOfModuleLists(root)).toEqual([expect.stringContaining('does not set the label')]);
    write('k8s/modules/calendar/kustomization.yaml', 'labels/groupware~1calls-outside');
    expect(differencesOfModuleLists(root)).toEqual([]);
    write('apps/calendar/package.json', '{}');
    expect(differencesOfModuleLists(root)).toEqual([expect.stringContaining('does not depend on')]);
  });

  it('asks for the label of modules that scan files', () => {
    write('apps/calendar/src/index.ts', 'config: [VirusScanConfig]');
    expect(differencesOfModuleLists(root)).toEqual([expect.stringContaining('label groupware/scans-files')]);
  });
});

describe('equal lines', () => {
  it('are reported once, with both places and their number', () => {
    write('apps/a.ts', `first();\n${statements(12)}\nlast();`);
    write('libs/b.ts', `\n\n${statements(12)}`);
    expect(equalRuns(root, ['apps', 'libs'], 10)).toEqual([{ lines: 12, first: 'apps/a.ts:2', second: 'libs/b.ts:3' }]);
  });

  it('may be as many as allowed', () => {
    write('apps/a.ts', statements(10));
    write('libs/b.ts', statements(10));
    expect(equalRuns(root, ['apps', 'libs'], 10)).toEqual([]);
  });

  it('are compared without blank lines, comments and indentation', () => {
    write('apps/a.ts', statements(11));
    write('libs/b.ts', statements(11).replaceAll('\n', '\n\n  // why\n    '));
    expect(equalRuns(root, ['apps', 'libs'], 10)).toHaveLength(1);
  });

  it('do not count where they only import', () => {
    const imports = Array.from({ length: 12 }, (_, index) => `import {\n  a${index},\n} from './a${index}';`).join(
      '\n',
    );
    write('apps/a.ts', imports);
    write('libs/b.ts', imports);
    expect(equalRuns(root, ['apps', 'libs'], 10)).toEqual([]);
  });

  it('do not count in specs, results of a build and one and the same file', () => {
    write('apps/a.ts', `${statements(11)}\n${statements(11)}`);
    write('apps/a.spec.ts', statements(11));
    write('apps/dist/a.js', statements(11));
    expect(equalRuns(root, ['apps'], 10)).toEqual([]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { localText, setTranslations } from '@groupware/contracts';
import { ConfigurationFiles } from './configuration-files';
import { watchLanguages } from './languages';

let folder: string;
const reported: (readonly string[])[] = [];
const files = () => new ConfigurationFiles(0, (_name, problems) => reported.push(problems));
const write = (name: string, content: string) => writeFileSync(path.join(folder, name), content);
const title = (locale: string) => localText('folder.calendar', locale);

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'languages-'));
  reported.splice(0);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  setTranslations(new Map());
});

describe('languages', () => {
  it('come from the files of a folder, by locale before language', () => {
    write('fr.json', '{"folder.calendar":"Calendrier","no.such.text":"x"}');
    write('fr_CA.json', '{"folder.calendar":"Agenda"}');
    write('notes.txt', 'no language');
    watchLanguages(folder, files());
    expect(['fr_FR', 'fr', 'fr_CA', 'fr-CA', 'de_AT', 'it'].map(title)).toEqual([
      'Calendrier',
      'Calendrier',
      'Agenda',
      'Agenda',
      'Kalender',
      'Calendar',
    ]);
  });

  it('are read again when files change; with a broken one all stay as they were', async () => {
    const followed = files();
    write('fr.json', '{"folder.calendar":"Calendrier"}');
    watchLanguages(folder, followed);
    write('it.json', '{"folder.calendar":"Calendario"}');
    await followed.checkForChanges();
    expect(['fr', 'it'].map(title)).toEqual(['Calendrier', 'Calendario']);
    write('fr.json', '{');
    await followed.checkForChanges();
    expect(['fr', 'it'].map(title)).toEqual(['Calendrier', 'Calendario']);
    expect(reported.map((problems) => problems.length)).toEqual([0, 1]);
  });

  it('that can not be used keep a process from starting, with all problems at once', () => {
    write('french.json', '{}');
    write('es.json', '["Calendario"]');
    write('it.json', '{"folder.calendar":1}');
    expect(() => watchLanguages(folder, files())).toThrow(
      /es\.json: not an object of texts\n.*french\.json: the name is no locale.*\n.*it\.json: folder\.calendar is no text/,
    );
  });

  it('are optional, but a folder that is named must be there', () => {
    watchLanguages('', files());
    expect(() => watchLanguages(path.join(folder, 'missing'), files())).toThrow(/missing/);
  });
});

/** `newAppointments`, `ICAL`, `mail-account` → the words in lower case. */
const wordsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.toLowerCase());

const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** @param {string} name `getChangeExceptions` → `get-change-exceptions`: names of files and folders */
export const kebab = (name) => wordsOf(name).join('-');

/** @param {string} name `mail-account` → `MailAccount`: names of classes */
export const pascal = (name) => wordsOf(name).map(capital).join('');

/** @param {string} name `mail-account` → `mailAccount`: names of values */
export const camel = (name) => pascal(name).replace(/^./, (letter) => letter.toLowerCase());

/** @param {string} name `notWritable` → `Not writable`: the beginning of a sentence */
export const sentence = (name) => capital(wordsOf(name).join(' '));

/** @param {string} name `tasks` → `task`: one of the things a module is named after */
export const singular = (name) => name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

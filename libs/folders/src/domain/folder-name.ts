import { FolderErrors, toLongTextsError } from '@groupware/contracts';

/** Names of system folders, reserved at the root of the tree. */
const RESERVED = new Set(
  [
    'private folders',
    'public folders',
    'shared folders',
    'system folders',
    'global address book',
    'private ordner',
    'öffentliche ordner',
    'freigegebene ordner',
    'globales adressbuch',
  ].map((name) => name.toLowerCase()),
);

const MAX_LENGTH = 255;
const TITLE_COLUMN = 300;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The name as it is stored; refuses empty (FLD-0007), too long (FLD-0064), reserved (FLD-1033) and unprintable ones (FLD-0092). */
export function parseFolderName(raw: string | undefined): string {
  // Equal names may come in several forms: they are stored, and found to be taken, in one.
  const name = (raw ?? '').normalize('NFC').trim();
  if (name === '') throw FolderErrors.missingField('title');
  const control = CONTROL.exec(name);
  if (control) throw FolderErrors.badCharacter(`U+${control[0].charCodeAt(0).toString(16).padStart(4, '0')}`, name);
  if (name.length > MAX_LENGTH)
    throw toLongTextsError(FolderErrors.nameTooLong, [
      { name: 'title', column: TITLE_COLUMN, length: name.length, limit: MAX_LENGTH },
    ]);
  if (RESERVED.has(name.toLowerCase())) throw FolderErrors.reservedName(name);
  return name;
}

import { Injectable } from '@nestjs/common';
import { ESCAPE_FORMULAS, ImportExportErrors, type UserPrincipal } from '@groupware/contracts';
import type { Reader } from '@groupware/persistence';
import { isTurnOver, Properties, yieldToEventLoop } from '@groupware/service-kit';
import { stringify } from 'csv-stringify/sync';
import { ListReferences } from '../contacts/list-references';
import type { Contact, StoredMember } from '../domain/contact';
import { OWN_TITLES, TITLES_BY_COLUMN } from './csv-titles';

/** A column of a file: title and field. */
type ExportColumn = readonly [title: string, field: string];

/** Writes contacts as CSV. */
@Injectable()
export class CsvExport {
  constructor(
    private readonly references: ListReferences,
    private readonly properties: Properties,
  ) {}

  /** The columns of a file; all without any. @throws I_E-1314 */
  parseColumns(columns: string | undefined): readonly ExportColumn[] {
    if (!columns) return OWN_TITLES;
    return columns.split(',').map((text) => {
      const column = /^\s*\d{1,9}\s*$/.test(text) ? TITLES_BY_COLUMN.get(Number(text)) : undefined;
      if (!column) throw ImportExportErrors.notAColumn(text);
      return column;
    });
  }

  /** Whether cells that a spreadsheet would compute are made texts. */
  escapesFormulas(user: UserPrincipal): Promise<boolean> {
    return this.properties.get(ESCAPE_FORMULAS, user);
  }

  /** The title row, then the contacts, one text per page. */
  async *writeRows(
    db: Reader,
    user: UserPrincipal,
    pages: AsyncIterable<readonly Contact[]>,
    columns: readonly ExportColumn[],
    escapesFormulas: boolean,
  ): AsyncGenerator<string> {
    const options = {
      quoted: true,
      quoted_empty: true,
      record_delimiter: '\r\n',
      escape_formulas: escapesFormulas,
    } as const;
    yield stringify([columns.map(([title]) => title)], options);
    const withMembers = columns.some(([, field]) => field === 'distribution_list');
    for await (const page of pages) {
      const lists = withMembers ? page.filter(({ isList }) => isList).map(({ id }) => id) : [];
      const members = await this.references.mapMembers(db, user, lists);
      const rows: string[] = [];
      for (const contact of page) {
        if (isTurnOver()) await yieldToEventLoop();
        rows.push(
          stringify([columns.map(([, field]) => toCell(contact, field, members.get(contact.id) ?? []))], options),
        );
      }
      yield rows.join('');
    }
  }
}

/** A day as `dd.MM.yyyy`. */
function toDay(ms: number | null): string {
  if (ms === null) return '';
  const [year, month, day] = new Date(ms).toISOString().slice(0, 10).split('-');
  return `${day}.${month}.${year}`;
}

function toCell(contact: Contact, field: string, members: readonly StoredMember[]): string {
  switch (field) {
    case 'id':
      return String(contact.id);
    case 'folder_id':
      return String(contact.folderId);
    case 'created_by':
      return String(contact.createdBy);
    case 'modified_by':
      return String(contact.modifiedBy);
    case 'user_id':
      return contact.userId === null ? '' : String(contact.userId);
    case 'creation_date':
      return toDay(contact.created);
    case 'last_modified':
      return toDay(contact.lastModified);
    case 'birthday':
    case 'anniversary':
      return toDay(contact[field]);
    case 'private_flag':
      return String(contact.isPrivate);
    case 'mark_as_distributionlist':
      return String(contact.isList);
    case 'number_of_distribution_list':
      return String(contact.members);
    case 'default_address':
      return contact.defaultAddress === null ? '' : String(contact.defaultAddress);
    case 'color_label':
      return contact.color === null ? '' : String(contact.color);
    case 'distribution_list':
      return contact.isList ? toMembers(members) : '';
    default: {
      const value = contact[field as keyof Contact];
      return typeof value === 'string' ? value : '';
    }
  }
}

const toMembers = (members: readonly StoredMember[]): string =>
  JSON.stringify(
    members.flatMap(({ mail, displayName }) =>
      mail === null ? [] : [{ mail, ...(displayName !== null && { display_name: displayName }) }],
    ),
  );

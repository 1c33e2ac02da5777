import { Field } from '../kit';
import { PersonData } from '../identity/person.model';

/** Longest display name, characters. */
export const MAX_DISPLAY_NAME = 320;
/** Longest note, characters. */
export const MAX_NOTE = 65_535;
/** Longest text of any other field, characters. */
export const MAX_CONTACT_TEXT = 512;
/** Most characters of a text of a contact by the name of its field. */
export const limitOfContactText = (name: string): number =>
  name === 'note' ? MAX_NOTE : name === 'display_name' ? MAX_DISPLAY_NAME : MAX_CONTACT_TEXT;
/** Most members of a distribution list. */
export const MAX_LIST_MEMBERS = 5_000;

/** A member of a distribution list: an address, or a reference to one of the addresses of a contact. */
export class ContactMember {
  @Field.any({ doc: 'Contact; absent for a bare address. Empty counts as absent', optional: true }) id?: string;
  @Field.any({ doc: 'Folder in which the contact lies now', optional: true, readOnly: true }) folder_id?: string;
  @Field.text({ doc: 'Name shown', optional: true }) display_name?: string;
  @Field.text({ doc: 'First name', optional: true }) first_name?: string;
  @Field.text({ doc: 'Last name', optional: true }) last_name?: string;
  @Field.text({ doc: 'Mail address; needed without a contact', optional: true }) mail?: string;
  @Field.int({
    doc: '0 a bare address, 1 to 3 the first to third address of the contact',
    optional: true,
    values: [0, 1, 2, 3],
  })
  mail_field?: number;
  @Field.text({ doc: 'What the members are sorted by', optional: true, readOnly: true }) sort_name?: string;
}

/** A contact or a distribution list (column table "Contacts"). */
export class ContactData extends PersonData {
  @Field.id({ column: 1, doc: 'Id of the contact', optional: true, readOnly: true }) id?: string;
  @Field.id({ column: 2, doc: 'Id of the user who created it', optional: true, readOnly: true }) created_by?: string;
  @Field.id({ column: 3, doc: 'Id of the user who changed it last', optional: true, readOnly: true })
  modified_by?: string;
  @Field.time({ column: 4, doc: 'Creation', optional: true, readOnly: true }) creation_date?: number;
  @Field.time({ column: 5, doc: 'Last change, which no zone shifts', optional: true, readOnly: true })
  last_modified?: number;
  @Field.timestamp({ column: 6, doc: 'Last change in UTC', optional: true, readOnly: true }) last_modified_utc?: number;
  @Field.id({ column: 20, doc: 'Folder; another one in an update moves the contact', optional: true })
  folder_id?: string;
  @Field.text({ column: 100, doc: 'Categories, separated by commas', optional: true }) categories?: string;
  @Field.boolean({ column: 101, doc: 'Hidden from others', optional: true }) private_flag?: boolean;
  @Field.int({ column: 102, doc: 'Colour, 0 to 10', optional: true, min: 0, max: 10 }) color_label?: number;
  @Field.int({ column: 104, doc: 'Number of attachments', optional: true, readOnly: true })
  number_of_attachments?: number;
  @Field.timestamp({ column: 105, doc: 'When the newest attachment was made', optional: true, readOnly: true })
  lastModifiedOfNewestAttachmentUTC?: number;
  @Field.text({
    column: 223,
    doc: 'Globally unique id; made when absent, never changed',
    optional: true,
    maxLength: 1024,
  })
  uid?: string;
  @Field.text({ column: 518, doc: 'Note', optional: true, maxLength: 2 * MAX_NOTE }) override note?: string;
  @Field.int({ column: 524, doc: 'User whose contact it is; 0 or absent otherwise', optional: true, min: 0 })
  user_id?: number;
  @Field.any({ column: 591, doc: 'Not used: null', optional: true, readOnly: true }) number_of_links_list?: null;
  @Field.list(() => ContactMember, {
    column: 592,
    doc: 'Members of a distribution list; null or empty makes it a plain contact again',
    optional: true,
    maxItems: MAX_LIST_MEMBERS,
  })
  distribution_list?: ContactMember[];
  @Field.any({ column: 593, doc: 'Not sent: null', optional: true, readOnly: true }) context_id?: null;
  @Field.int({ column: 594, doc: 'Number of members', optional: true, readOnly: true })
  number_of_distribution_list?: number;
  @Field.any({ column: 595, doc: 'Not used: null', optional: true, readOnly: true }) number_of_links?: null;
  @Field.int({ column: 596, doc: 'Number of pictures: 0 or 1', optional: true, readOnly: true })
  number_of_images?: number;
  @Field.time({ column: 597, doc: 'When the picture changed', optional: true, readOnly: true })
  image_last_modified?: number;
  @Field.any({
    column: 570,
    doc: 'Path of the picture, as image1_url. In bodies: null or empty removes the picture',
    optional: true,
  })
  image1?: string | null;
  @Field.text({ column: 601, doc: 'Media type of the picture', optional: true, readOnly: true })
  image1_content_type?: string;
  @Field.boolean({
    column: 602,
    doc: 'It is a distribution list. In bodies: true makes an empty one',
    optional: true,
  })
  mark_as_distributionlist?: boolean;
  @Field.int({ column: 605, doc: 'Preferred postal address', optional: true, min: 0 }) default_address?: number;
  @Field.text({
    column: 606,
    doc: 'Path of the picture on this server; needs the cookies of the session',
    optional: true,
    readOnly: true,
  })
  image1_url?: string;
  @Field.text({
    column: 607,
    doc: 'What contacts are sorted by when nothing else is asked',
    optional: true,
    readOnly: true,
  })
  special_sorting?: string;
  @Field.int({ column: 608, doc: 'How often the user of the session used it', optional: true, min: 0 })
  useCount?: number;
  @Field.any({ column: 609, doc: 'Only for sorting: null', optional: true, readOnly: true }) useCountGlobalFirst?: null;
  @Field.text({ column: 610, doc: 'First name as it is read aloud', optional: true }) override yomiFirstName?: string;
  @Field.text({ column: 611, doc: 'Last name as it is read aloud', optional: true }) override yomiLastName?: string;
  @Field.text({ column: 612, doc: 'Company as it is read aloud', optional: true }) override yomiCompany?: string;
  @Field.text({ column: 613, doc: 'Home address in one text', optional: true }) override addressHome?: string;
  @Field.text({ column: 614, doc: 'Business address in one text', optional: true }) override addressBusiness?: string;
  @Field.text({ column: 615, doc: 'Other address in one text', optional: true }) override addressOther?: string;
  @Field.text({ doc: 'Old spelling of marital_status', optional: true, writeOnly: true }) martial_status?: string;
}

/** The column sets `all` and `list`. */
export const CONTACT_COLUMN_ALIASES: Readonly<Record<string, readonly number[]>> = {
  all: [20, 1, 5, 2, 602],
  list: [
    20, 1, 5, 2, 500, 501, 502, 505, 523, 525, 526, 527, 542, 555, 102, 602, 592, 101, 551, 552, 543, 547, 548, 549,
    556, 569,
  ],
};

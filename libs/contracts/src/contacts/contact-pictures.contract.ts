import { ImageErrors } from '../identity/identity.errors';
import { action, defineModule, Field, file, lenient, requireRights } from '../kit';
import { PictureQuery } from '../pictures';
import { CONTACT_RIGHTS } from './contact.access';

/** Owner of a picture: the first that is found counts, in the order user, contact, address. */
export class ContactPictureQuery extends PictureQuery {
  @Field.text({ doc: 'User', optional: true, maxLength: 64 }) user_id?: string;
  @Field.text({ doc: 'Contact; with folder_id', optional: true, maxLength: 64 }) contact_id?: string;
  @Field.text({ doc: 'Folder of the contact', optional: true, maxLength: 64 }) folder_id?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) email?: string;
}

/** Owner of a picture, as older clients ask. */
export class HaloPictureQuery extends PictureQuery {
  @Field.text({ doc: 'User', optional: true, maxLength: 64 }) internal_userid?: string;
  @Field.text({ doc: 'User', optional: true, maxLength: 64 }) userid?: string;
  @Field.text({ doc: 'User', optional: true, maxLength: 64 }) user_id?: string;
  @Field.text({ doc: 'Contact', optional: true, maxLength: 64 }) id?: string;
  @Field.text({ doc: 'Folder of the contact. Default the address book of all users', optional: true, maxLength: 64 })
  folder?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) email?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) email1?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) email2?: string;
  @Field.text({ doc: 'Mail address', optional: true, maxLength: 1024 }) email3?: string;
}

/** Which contact: the target of `image1_url`. */
export class ContactImageQuery extends PictureQuery {
  @Field.id({ doc: 'Contact' }) id!: string;
  @Field.id({ doc: 'Folder of the contact' }) folder!: string;
  @Field.timestamp({ doc: 'When the picture was set, ms UTC: lets browsers keep it', optional: true })
  timestamp?: number;
}

/** Pictures of people, however they are known. */
export const contactPicture = defineModule(
  'contacts/picture',
  {
    get: action({
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      guests: true,
      http: 'GET',
      doc: 'A picture of a person; a transparent pixel where there is none, or none that may be seen',
      query: lenient(ContactPictureQuery),
      reply: file('image/*'),
      auth: 'session',
    }),
  },
  { service: 'contacts' },
);

/** Pictures of people, for older clients. */
export const haloPicture = defineModule(
  'halo/contact/picture',
  {
    picture: action({
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      guests: true,
      http: 'GET',
      action: null,
      publicSession: true,
      doc: 'The same as contacts/picture?action=get',
      query: lenient(HaloPictureQuery),
      reply: file('image/*'),
      auth: 'session',
    }),
  },
  { service: 'contacts' },
);

/** Pictures of contacts, for pages. */
export const contactImage = defineModule(
  'image/contact/picture',
  {
    picture: action({
      access: requireRights(CONTACT_RIGHTS.read),
      appScopes: ['read_contacts'],
      guests: true,
      http: 'GET',
      action: null,
      publicSession: true,
      doc: 'The picture of a contact that the user may read',
      query: ContactImageQuery,
      reply: file('image/*'),
      auth: 'session',
      errors: [ImageErrors.notFound],
    }),
  },
  { service: 'contacts' },
);

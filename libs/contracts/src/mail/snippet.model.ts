import { Field } from '../kit';

/** Checked by the module, which has errors of its own for it. */
const ANY_LENGTH = { maxLength: 16_777_216 };
const TYPES = ['file', 'text', 'media', 'image', 'audio', 'video', 'application'] as const;

/** A file of a snippet. */
export interface SnippetAttachment {
  /** 32 hex digits. */
  readonly id: string;
  readonly filename: string;
  readonly mimetype: string;
  /** Content-ID of a picture that the text shows. */
  readonly contentid?: string;
  /** Bytes. */
  readonly size: number;
}

/** Fields of a snippet that clients may set; what is absent stays as it is. */
export class SnippetUpdate {
  @Field.text({ doc: 'Snippet; the parameter id says which one is meant', optional: true, ...ANY_LENGTH }) id?: string;
  @Field.int({ doc: 'Mail account that it belongs to; -1: none', optional: true }) accountid?: number;
  @Field.int({ doc: 'User who made it', optional: true, readOnly: true }) createdby?: number;
  @Field.text({ doc: 'Name, at most 255 characters', optional: true, ...ANY_LENGTH }) displayname?: string;
  @Field.text({ doc: 'Kind: signature, template, or any other of the client', optional: true, ...ANY_LENGTH })
  type?: string;
  @Field.text({
    doc: 'Text. HTML is made safe, and pictures that stand in it, were uploaded or belong to it become attachments',
    optional: true,
    ...ANY_LENGTH,
  })
  content?: string;
  @Field.text({ doc: 'Module of the client that it is for', optional: true, ...ANY_LENGTH }) module?: string;
  @Field.boolean({ doc: 'Whether all users of the context see it', optional: true }) shared?: boolean;
  @Field.any({
    doc: 'Facts of the client; content-type says whether the text is text/html or text/plain',
    optional: true,
  })
  misc?: unknown;
  @Field.any({ doc: 'Facts of the client: names with texts', optional: true }) props?: unknown;
  @Field.any({ doc: 'Files, as clients were told them; see attach and detach', optional: true }) files?: unknown;
}

/** A new snippet. */
export class NewSnippet extends SnippetUpdate {
  @Field.text({ doc: 'Given by the server', optional: true, readOnly: true }) declare id?: string;
  @Field.text({ doc: 'Name, at most 255 characters', ...ANY_LENGTH }) declare displayname: string;
  @Field.text({ doc: 'Kind: signature, template, or any other of the client', ...ANY_LENGTH }) declare type: string;
}

/** A signature or text block. */
export interface Snippet {
  readonly id: string;
  readonly accountid: number;
  readonly type: string;
  readonly module: string;
  readonly displayname: string;
  readonly content: string;
  readonly misc?: unknown;
  readonly props: Readonly<Record<string, string>>;
  readonly shared: boolean;
  readonly createdby: number;
  readonly files: readonly SnippetAttachment[];
}

/** Which snippet. */
export class SnippetQuery {
  @Field.text({ doc: 'Snippet', maxLength: 1024 }) id!: string;
}

/** Which snippets. */
export class SnippetsQuery {
  @Field.text({ doc: 'Kinds, by comma; default: all', optional: true }) type?: string;
}

/** Which snippet goes. */
export class SnippetDeletionQuery {
  @Field.text({ doc: 'Snippet; several stand in the body', optional: true, maxLength: 1024 }) id?: string;
}

/** Target of uploads, and their kind. */
export class SnippetUploadQuery extends SnippetQuery {
  @Field.text({ doc: 'Kind that all files must be, by their bytes; file: any', values: [...TYPES] })
  type!: (typeof TYPES)[number];
}

/** Which file. */
export class SnippetAttachmentQuery extends SnippetQuery {
  @Field.text({ doc: 'Attachment', maxLength: 255 }) attachmentid!: string;
}

/** Which file goes. */
export class SnippetAttachmentReference {
  @Field.text({ doc: 'Attachment', maxLength: 255 }) id!: string;
}

/** Which picture. */
export class SnippetPictureQuery extends SnippetQuery {
  @Field.text({ doc: 'Content-ID', maxLength: 255 }) uid!: string;
}

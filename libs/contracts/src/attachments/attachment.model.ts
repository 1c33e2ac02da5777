import { Field } from '../kit';

/** A file on an object, without its bytes. */
export class AttachmentData {
  @Field.int({ column: 1, doc: 'Id of the attachment', optional: true }) id?: number;
  @Field.id({ column: 2, doc: 'Id of the user who attached it', optional: true, readOnly: true }) created_by?: string;
  @Field.id({ column: 3, doc: 'Never set: attachments do not change', optional: true, readOnly: true })
  modified_by?: string;
  @Field.time({ column: 4, doc: 'When it was attached', optional: true, readOnly: true }) creation_date?: number;
  @Field.time({ column: 5, doc: 'Never set: attachments do not change', optional: true, readOnly: true })
  last_modified?: number;
  @Field.timestamp({ column: 6, doc: 'Never set: attachments do not change', optional: true, readOnly: true })
  last_modified_utc?: number;
  @Field.id({ column: 20, doc: 'Never set: see folder', optional: true, readOnly: true }) folder_id?: string;
  @Field.text({ column: 100, doc: 'Never set', optional: true, readOnly: true }) categories?: string;
  @Field.boolean({ column: 101, doc: 'Never set', optional: true, readOnly: true }) private_flag?: boolean;
  @Field.int({ column: 102, doc: 'Never set', optional: true, readOnly: true }) color_label?: number;
  @Field.int({ column: 104, doc: 'Never set', optional: true, readOnly: true }) number_of_attachments?: number;
  @Field.timestamp({ column: 105, doc: 'Never set', optional: true, readOnly: true })
  lastModifiedOfNewestAttachmentUTC?: number;
  @Field.int({ column: 800, doc: 'Folder through which the object is seen' }) folder!: number;
  @Field.int({ column: 801, doc: 'Object' }) attached!: number;
  @Field.int({ column: 802, doc: '1 appointment, 4 task, 7 contact, 137 infostore' }) module!: number;
  @Field.text({ column: 803, doc: 'File name; default: that of the uploaded part', optional: true, maxLength: 255 })
  filename?: string;
  @Field.number({ column: 804, doc: 'Size in bytes', optional: true, readOnly: true }) file_size?: number;
  @Field.text({ column: 805, doc: 'Media type; default: that of the uploaded part', optional: true, maxLength: 255 })
  file_mimetype?: string;
  @Field.boolean({ column: 806, doc: 'Body of an Outlook object in RTF', optional: true }) rtf_flag?: boolean;
  @Field.boolean({ doc: 'The same as rtf_flag, as the public documentation spells it', optional: true })
  rft_flag?: boolean;
  @Field.text({ column: 880, doc: 'Never set', optional: true, readOnly: true }) comment?: string;
  @Field.text({
    column: 881,
    doc: "Never set: where the bytes lie is nobody's business",
    optional: true,
    readOnly: true,
  })
  file_id?: string;
}

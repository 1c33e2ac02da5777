import { Field } from '../kit';

/** Fields that objects of all modules share (column table "Common object data"). Ids are texts on the wire. */
export class CommonObject {
  @Field.id({ column: 1, doc: 'Id of the object', optional: true }) id?: string;
  @Field.id({ column: 2, doc: 'Id of the user who created it', optional: true, readOnly: true }) created_by?: string;
  @Field.id({ column: 3, doc: 'Id of the user who changed it last', optional: true, readOnly: true })
  modified_by?: string;
  @Field.time({ column: 4, doc: 'Creation', optional: true, readOnly: true }) creation_date?: number;
  @Field.time({ column: 5, doc: 'Last change; shifted by the zone for files only', optional: true, readOnly: true })
  last_modified?: number;
  @Field.timestamp({ column: 6, doc: 'Last change in UTC', optional: true, readOnly: true }) last_modified_utc?: number;
  @Field.id({ column: 20, doc: 'Folder of the object', optional: true }) folder_id?: string;
}

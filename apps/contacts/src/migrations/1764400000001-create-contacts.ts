import type { Migration, MigrationRunner } from '@groupware/persistence';

const FIRST = `coalesce(yomi_first_name, first_name)`;
const LAST = `coalesce(yomi_last_name, last_name)`;
/** The text shown in place of a missing name. */
const OTHERWISE = `coalesce(display_name, company, email1, email2)`;

/**
 * Contacts and distribution lists. Empty texts are null. A member of a list keeps a copy of the address and the names of the
 * contact it refers to: it follows each change, and stays when the contact goes or must not be seen.
 */
export class CreateContacts1764400000001 implements Migration {
  async up(db: MigrationRunner): Promise<void> {
    await db.query(`
      create table contact_counter (
        context_id int primary key,
        next_id int not null default 1,
        last_stamp bigint not null default 0,
        forgotten bigint not null default 0
      );
      create table contact (
        context_id int not null,
        id int not null,
        folder_id int not null,
        uid text not null,
        created_by int not null,
        modified_by int not null,
        created bigint not null,
        last_modified bigint not null,
        is_private boolean not null default false,
        color smallint,
        categories text,
        default_address int,
        user_id int,
        is_list boolean not null default false,
        members int not null default 0,
        attachments int not null default 0,
        newest_attachment bigint,
        attachment_revision bigint not null default 0,
        image_type text,
        image_changed bigint,
        birthday bigint,
        anniversary bigint,
        display_name text, first_name text, last_name text, second_name text, suffix text, title text,
        street_home text, postal_code_home text, city_home text, state_home text, country_home text,
        marital_status text, number_of_children text, profession text, nickname text, spouse_name text, note text,
        department text, position text, employee_type text, room_number text, street_business text,
        postal_code_business text, city_business text, state_business text, country_business text,
        number_of_employees text, sales_volume text, tax_id text, commercial_register text, branches text,
        business_category text, info text, manager_name text, assistant_name text, street_other text,
        city_other text, postal_code_other text, country_other text, telephone_business1 text,
        telephone_business2 text, fax_business text, telephone_callback text, telephone_car text,
        telephone_company text, telephone_home1 text, telephone_home2 text, fax_home text, cellular_telephone1 text,
        cellular_telephone2 text, telephone_other text, fax_other text, email1 text, email2 text, email3 text,
        url text, telephone_isdn text, telephone_pager text, telephone_primary text, telephone_radio text,
        telephone_telex text, telephone_ttytdd text, instant_messenger1 text, instant_messenger2 text,
        telephone_ip text, telephone_assistant text, company text, userfield01 text, userfield02 text,
        userfield03 text, userfield04 text, userfield05 text, userfield06 text, userfield07 text, userfield08 text,
        userfield09 text, userfield10 text, userfield11 text, userfield12 text, userfield13 text, userfield14 text,
        userfield15 text, userfield16 text, userfield17 text, userfield18 text, userfield19 text, userfield20 text,
        state_other text, file_as text, yomi_first_name text, yomi_last_name text, yomi_company text,
        address_home text, address_business text, address_other text,
        sort_name text generated always as (case
          when is_list and display_name is not null then display_name
          when ${LAST} is null then coalesce(${FIRST}, ${OTHERWISE})
          when ${FIRST} is null then ${LAST}
          else ${LAST} || ' ' || ${FIRST} end) stored,
        constraint contact_key primary key (context_id, id)
      );
      create index contact_in_folder on contact (context_id, folder_id, last_modified);
      create index contact_of_user on contact (context_id, user_id) where user_id is not null;
      create index contact_uid on contact (context_id, uid);
      create table contact_member (
        context_id int not null,
        list_id int not null,
        position int not null,
        mail_field smallint not null,
        contact_id int,
        mail text,
        display_name text,
        first_name text,
        last_name text,
        sort_name text generated always as (case
          when coalesce(last_name, first_name) is null then coalesce(display_name, mail)
          when last_name is null then first_name
          when first_name is null then last_name
          else last_name || ' ' || first_name end) stored,
        constraint contact_member_key primary key (context_id, list_id, position),
        constraint contact_member_list foreign key (context_id, list_id)
          references contact (context_id, id) on delete cascade,
        constraint contact_member_reference check (contact_id is null = (mail_field = 0))
      );
      create index contact_member_of_contact on contact_member (context_id, contact_id) where contact_id is not null;
      create table contact_use (
        context_id int not null,
        user_id int not null,
        contact_id int not null,
        uses int not null,
        constraint contact_use_key primary key (context_id, user_id, contact_id),
        constraint contact_use_contact foreign key (context_id, contact_id)
          references contact (context_id, id) on delete cascade
      );
      create index contact_use_of_contact on contact_use (context_id, contact_id);
      create table contact_tombstone (
        context_id int not null,
        folder_id int not null,
        id int not null,
        created_by int not null,
        is_private boolean not null,
        last_modified bigint not null,
        constraint contact_tombstone_key primary key (context_id, folder_id, id)
      );
      create index contact_tombstone_age on contact_tombstone (context_id, folder_id, last_modified);
      create index contact_tombstone_expiry on contact_tombstone (last_modified);
      create table folder_access (
        context_id int not null,
        folder_id int not null,
        stamp bigint not null,
        constraint folder_access_key primary key (context_id, folder_id)
      );
    `);
    for (const table of ['contact', 'contact_member', 'contact_use', 'contact_tombstone'])
      await db.query(
        `alter table ${table} set (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 200)`,
      );
  }

  async down(db: MigrationRunner): Promise<void> {
    await db.query(
      'drop table folder_access; drop table contact_tombstone; drop table contact_use; drop table contact_member; drop table contact; drop table contact_counter',
    );
  }
}

import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the contacts service. */
export class ContactsConfig {
  @Setting({
    env: 'CONTACTS_TOMBSTONE_DAYS',
    doc: 'Days for which deletions of contacts are told by updates; clients that ask for older ones get all that is there',
  })
  @IsInt()
  @Min(1)
  tombstoneDays = 366;

  @Setting({ env: 'CONTACTS_CLEANING_MINUTES', doc: 'Minutes between two runs of the cleaner of old deletions' })
  @IsInt()
  @Min(1)
  @Max(20_000)
  cleaningMinutes = 360;
}

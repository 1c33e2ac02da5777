import { RequestErrors, type ContactDaysQuery } from '@groupware/contracts';
import { ConditionValues } from '@groupware/persistence';
import { parseContactFolderId } from '../folders/folder-access';
import { collationOf, specialSort } from '../persistence/contact.columns';
import { FIRST_FILTER_PARAMETER } from '../persistence/contact-view.repository';
import { inFolders, type ContactSearch } from '../views/contact-view';
import { toYearDays } from './year-days';

const DATES = { birthday: 'a.birthday', anniversary: 'a.anniversary' } as const;

/**
 * The search for contacts with a date on some days, whatever the year; without sort the next one comes first.
 * @throws SVL-0010 for a range that ends before it begins
 */
export function toDaySearch(field: keyof typeof DATES, query: ContactDaysQuery, locale: string): ContactSearch {
  const { start, end, sort } = query;
  if (end < start) throw RequestErrors.badParameter('end', end);
  const days = toYearDays(start, end);
  const { values, bind } = new ConditionValues(FIRST_FILTER_PARAMETER);
  const date = `(to_timestamp(${DATES[field]} / 1000.0) at time zone 'UTC')`;
  const yearDay = `(date_part('month', ${date}) * 100 + date_part('day', ${date}))::int`;
  const [from, to, leapDay] = [days.from, days.to, days.leapDay].map((value) => bind(value, 'int'));
  const joint = days.from < days.to ? 'and' : 'or';
  const covered =
    start === end
      ? 'false'
      : days.isWholeYear
        ? 'true'
        : `case when ${yearDay} = 229 then ${bind(days.hasLeapDay, 'boolean')}
            else ${yearDay} >= ${from} ${joint} ${yearDay} < ${to} end`;
  const shown = `case when ${yearDay} = 229 then ${leapDay} else ${yearDay} end`;
  const folderIds = query.folder === undefined ? undefined : [parseContactFolderId(query.folder)];
  const named = `(${from} is not null and ${to} is not null and ${leapDay} is not null)`;
  const filter = { where: `${DATES[field]} is not null and ${named} and (${covered})`, values };
  return {
    folderIds,
    filter: folderIds ? inFolders(folderIds, filter) : filter,
    ...(sort === undefined && {
      orderBy: `(${shown} < ${from}), ${shown}, ${specialSort(collationOf(locale))}`,
    }),
  };
}

import type { CardContact } from '@groupware/vcard';

/** A contact as the module contacts tells one that is stored, without what only stored ones have. */
export function toContactObject({
  texts,
  birthday,
  anniversary,
  color,
  isPrivate,
  members,
  photo,
}: CardContact): Record<string, unknown> {
  return {
    ...texts,
    ...(birthday === undefined ? {} : { birthday }),
    ...(anniversary === undefined ? {} : { anniversary }),
    ...(color === undefined ? {} : { color_label: color }),
    ...(isPrivate ? { private_flag: true } : {}),
    ...(members === undefined
      ? {}
      : {
          mark_as_distributionlist: true,
          distribution_list: members.map(({ mail, displayName }) => ({
            mail,
            mail_field: 0,
            ...(displayName === undefined ? {} : { display_name: displayName }),
          })),
        }),
    ...(photo ? { number_of_images: 1 } : {}),
  };
}

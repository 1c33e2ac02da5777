export type { Card, CardErrorReason, CardProperty, CardVersion, CardWarning, ReadCard } from './card';
export type { CardContact, CardMember, CardPhoto } from './card-contact';
export { CARD_TEXT_FIELDS } from './card-fields';
export { readCards, type CardReadOptions } from './card-reader';
export { writeCard, WRITTEN_VERSIONS, type WrittenVersion } from './card-writer';
export { hasClass, overlayContact, readContact } from './contact-card';

import { fieldsOf, ContactData } from '@groupware/contracts';

/** Fields by title, of the own form of files; exports write the titles, the first one of a field. */
const PLACES = ['home', 'business', 'other'] as const;
const PARTS: Readonly<Record<string, string>> = {
  street: 'Street',
  postal_code: 'Postal code',
  city: 'City',
  state: 'State',
  country: 'Country',
};

/** Titles of the own form with the name of their field, in the order of exports. */
export const OWN_TITLES: readonly (readonly [title: string, field: string])[] = [
  ['Object id', 'id'],
  ['Folder id', 'folder_id'],
  ['Created by', 'created_by'],
  ['Modified by', 'modified_by'],
  ['Creation date', 'creation_date'],
  ['Changing date', 'last_modified'],
  ['Categories', 'categories'],
  ['private', 'private_flag'],
  ['Display name', 'display_name'],
  ['Given name', 'first_name'],
  ['Sur name', 'last_name'],
  ['Middle name', 'second_name'],
  ['Suffix', 'suffix'],
  ['Title', 'title'],
  ...PLACES.flatMap((place) =>
    Object.entries(PARTS).map(([part, title]) => [`${title} ${place}`, `${part}_${place}`] as const),
  ),
  ['Birthday', 'birthday'],
  ['Marital status', 'marital_status'],
  ['Number of children', 'number_of_children'],
  ['Profession', 'profession'],
  ['Nickname', 'nickname'],
  ['Spouse name', 'spouse_name'],
  ['Anniversary', 'anniversary'],
  ['Note', 'note'],
  ['Department', 'department'],
  ['Position', 'position'],
  ['Employee type', 'employee_type'],
  ['Room number', 'room_number'],
  ['Number of employee', 'number_of_employees'],
  ['Sales volume', 'sales_volume'],
  ['Tax id', 'tax_id'],
  ['Commercial register', 'commercial_register'],
  ['Branches', 'branches'],
  ['Business category', 'business_category'],
  ['Info', 'info'],
  ["Manager's name", 'manager_name'],
  ["Assistant's name", 'assistant_name'],
  ['Telephone business 1', 'telephone_business1'],
  ['Telephone business 2', 'telephone_business2'],
  ['FAX business', 'fax_business'],
  ['Telephone callback', 'telephone_callback'],
  ['Telephone car', 'telephone_car'],
  ['Telephone company', 'telephone_company'],
  ['Telephone home 1', 'telephone_home1'],
  ['Telephone home 2', 'telephone_home2'],
  ['FAX home', 'fax_home'],
  ['Cellular telephone 1', 'cellular_telephone1'],
  ['Cellular telephone 2', 'cellular_telephone2'],
  ['Telephone other', 'telephone_other'],
  ['FAX other', 'fax_other'],
  ['Email 1', 'email1'],
  ['Email 2', 'email2'],
  ['Email 3', 'email3'],
  ['URL', 'url'],
  ['Telephone ISDN', 'telephone_isdn'],
  ['Telephone pager', 'telephone_pager'],
  ['Telephone primary', 'telephone_primary'],
  ['Telephone radio', 'telephone_radio'],
  ['Telephone telex', 'telephone_telex'],
  ['Telephone TTY/TDD', 'telephone_ttytdd'],
  ['Instantmessenger 1', 'instant_messenger1'],
  ['Instantmessenger 2', 'instant_messenger2'],
  ['Telephone IP', 'telephone_ip'],
  ['Telephone assistant', 'telephone_assistant'],
  ['Company', 'company'],
  ...Array.from({ length: 20 }, (_none, index) => index + 1).map(
    (number) => [`Dynamic Field ${number}`, `userfield${String(number).padStart(2, '0')}`] as const,
  ),
  ['Number of distributionlists', 'number_of_distribution_list'],
  ['Mark as distribution list', 'mark_as_distributionlist'],
  ['Distribution list', 'distribution_list'],
  ['Default address', 'default_address'],
];
/** Titles of columns that exports write where they are named alone. */
const NAMED_TITLES = [['Internal user id', 'user_id']] as const;
const OLD_TITLES = [
  ['Martial status', 'marital_status'],
  ['Telephone assostant', 'telephone_assistant'],
  ['Anniversay', 'anniversary'],
] as const;

/** The titles of a form of files, with the order of the parts of dates with slashes. */
export interface TitleTable {
  /** By the title in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  readonly dateOrder: 'dmy' | 'mdy';
}

/** Fields of Outlook in the order of the titles of each language; a title may have other spellings behind a bar. */
const OUTLOOK_FIELDS = [
  ...['title', 'first_name', 'second_name', 'last_name', 'suffix', 'company', 'department', 'position'],
  ...['street_business', 'city_business', 'state_business', 'postal_code_business', 'country_business'],
  ...['street_home', 'city_home', 'state_home', 'postal_code_home', 'country_home'],
  ...['street_other', 'city_other', 'state_other', 'postal_code_other', 'country_other'],
  ...['telephone_assistant', 'fax_business', 'telephone_business1', 'telephone_business2', 'telephone_callback'],
  ...['telephone_car', 'telephone_company', 'fax_home', 'telephone_home1', 'telephone_home2', 'telephone_isdn'],
  ...['cellular_telephone1', 'fax_other', 'telephone_other', 'telephone_pager', 'telephone_primary'],
  ...['telephone_radio', 'telephone_ttytdd', 'telephone_telex', 'anniversary', 'assistant_name', 'birthday'],
  ...['categories', 'number_of_children', 'email1', 'email2', 'email3', 'manager_name', 'note', 'profession'],
  ...['spouse_name', 'userfield01', 'userfield02', 'userfield03', 'userfield04', 'url'],
  // In English only.
  ...['nickname', 'yomiFirstName', 'yomiLastName', 'yomiCompany', 'room_number', 'instant_messenger1'],
];
const LANGUAGES: readonly { readonly dateOrder: 'dmy' | 'mdy'; readonly titles: string }[] = [
  {
    dateOrder: 'mdy',
    titles:
      "Title;First Name;Middle Name;Last Name;Suffix;Company;Department;Job Title;Business Street;Business City;Business State;Business Postal Code;Business Country|Business Country/Region;Home Street;Home City;Home State;Home Postal Code;Home Country|Home Country/Region;Other Street;Other City;Other State;Other Postal Code;Other Country|Other Country/Region;Assistant's Phone;Business Fax;Business Phone;Business Phone 2;Callback;Car Phone;Company Main Phone;Home Fax;Home Phone;Home Phone 2;ISDN;Mobile Phone;Other Fax;Other Phone;Pager;Primary Phone;Radio Phone;TTY/TDD Phone;Telex;Anniversary;Assistant's Name;Birthday;Categories;Children;E-mail Address;E-mail 2 Address;E-mail 3 Address;Manager's Name;Notes;Profession;Spouse;User 1;User 2;User 3;User 4;Web Page;Nickname;Given Yomi;Surname Yomi;Company Yomi;Office Location;IMAddress",
  },
  {
    dateOrder: 'dmy',
    titles:
      'Anrede;Vorname;Weitere Vornamen;Nachname;Suffix;Firma;Abteilung;Position;Straße geschäftlich;Ort geschäftlich;Region geschäftlich|Bundesland/Kanton geschäftlich;Postleitzahl geschäftlich;Land geschäftlich|Land/Region geschäftlich;Straße privat;Ort privat;Region privat|Bundesland/Kanton privat;Postleitzahl privat;Land privat|Land/Region privat;Weitere Straße;Weiterer Ort;Weitere Region|Weiteres Bundesland/Weiterer Kanton;Weitere Postleitzahl;Weiteres Land|Weitere/s Land/Region;Telefon Assistent;Fax geschäftlich;Telefon geschäftlich;Telefon geschäftlich 2;Rückmeldung;Autotelefon;Telefon Firma;Fax privat;Telefon privat;Telefon privat 2;ISDN;Mobiltelefon;Weiteres Fax;Weiteres Telefon;Pager;Haupttelefon;Mobiltelefon 2;Telefon für Hörbehinderte;Telex;Jahrestag;Name Assistent;Geburtstag;Kategorien;Kinder;E-Mail-Adresse;E-Mail 2: Adresse;E-Mail 3: Adresse;Name des/der Vorgesetzten;Notizen;Beruf;Partner;Benutzer 1;Benutzer 2;Benutzer 3;Benutzer 4;Webseite',
  },
  {
    dateOrder: 'dmy',
    titles:
      "Titre;Prénom;Deuxième prénom;Nom;Suffixe;Société;Service;Profession|Titre professionnel;Rue (bureau);Ville (bureau);Dép/Région (bureau);Code postal (bureau);Pays/Région (bureau)|Pays (bureau);Rue (domicile);Ville (domicile);Dép/Région (domicile);Code postal (domicile);Pays/Région (domicile)|Pays (domicile);Rue (autre);Ville (autre);Dép/Région (autre);Code postal (autre);Pays/Région (autre)|Pays (autre);Téléphone de l'assistant(e);Télécopie (bureau);Téléphone (bureau);Téléphone 2 (bureau);Rappel;Téléphone (voiture);Téléphone société;Télécopie (domicile);Téléphone (domicile);Téléphone 2 (domicile);RNIS;Tél. mobile|Téléphone mobile;Télécopie (autre);Téléphone (autre);Récepteur de radiomessagerie;Téléphone principal;Radio téléphone;Téléphone TDD/TTY;Télex;Anniversaire de mariage ou fête;Nom de l'assistant(e);Anniversaire;Catégories;Enfants;Adresse de messagerie;Adresse de messagerie 2;Adresse de messagerie 3;Responsable;Notes;Métier;Conjoint(e);Utilisateur 1;Utilisateur 2;Utilisateur 3;Utilisateur 4;Page Web",
  },
  {
    dateOrder: 'dmy',
    titles:
      'Titel;Voornaam;Middelste naam;Achternaam;Achtervoegsel;Bedrijf;Afdeling;Functie;Werkadres, straat;Werkadres, plaats;Werkadres, provincie;Werkadres, postcode;Werkadres, land|Werkadres, land/regio;Huisadres, straat;Huisadres, plaats;Huisadres, provincie;Huisadres, postcode;Huisadres, land|Huisadres, land/regio;Ander adres, straat;Ander adres, plaats;Ander adres, provincie;Ander adres, postcode;Ander adres, land|Ander adres, land/regio;Telefoon assistent;Fax op werk;Telefoon op werk;Telefoon op werk 2;Terugbellen;Autotelefoon;Hoofdtelefoon bedrijf;Fax thuis;Telefoon thuis;Telefoon thuis 2;ISDN;Mobiele telefoon;Andere fax;Andere telefoon;Semafoon;Hoofdtelefoon;Radiotelefoon;Teksttelefoon;Telex;Speciale datum;Naam assistent;Verjaardag;Categorieën;Kinderen;E-mailadres;E-mailadres 2;E-mailadres 3;Naam manager;Notities;Beroep;Partner;Gebruiker 1;Gebruiker 2;Gebruiker 3;Gebruiker 4;Webpagina',
  },
];

/** All tables of titles: the own one and those of Outlook. */
export const TITLE_TABLES: readonly TitleTable[] = [
  {
    dateOrder: 'mdy',
    fields: new Map([...OWN_TITLES, ...OLD_TITLES].map(([title, field]) => [title.toLowerCase(), field])),
  },
  ...LANGUAGES.map(({ dateOrder, titles }) => ({
    dateOrder,
    fields: new Map(
      titles
        .split(';')
        .flatMap((spellings, at) =>
          spellings.split('|').map((title) => [title.toLowerCase(), OUTLOOK_FIELDS[at]!] as const),
        ),
    ),
  })),
];

const columns = new Map(fieldsOf(ContactData).map(({ column, wireName }) => [wireName, column]));

/** Columns of exports: title and field by number. */
export const TITLES_BY_COLUMN: ReadonlyMap<number, readonly [title: string, field: string]> = new Map([
  ...fieldsOf(ContactData).flatMap(({ column, wireName }) =>
    column === undefined ? [] : [[column, [wireName, wireName] as const] as const],
  ),
  ...[...OWN_TITLES, ...NAMED_TITLES].flatMap((each) => {
    const column = columns.get(each[1]);
    return column === undefined ? [] : [[column, each] as const];
  }),
]);

import { Field } from '../kit';

/** Data of a person's entry in the address book (columns 500 to 599), as users and contacts share it. */
export class PersonData {
  @Field.text({ column: 500, doc: 'Display name', optional: true, maxLength: 1024 }) display_name?: string;
  @Field.text({ column: 501, doc: 'First name', optional: true, maxLength: 1024 }) first_name?: string;
  @Field.text({ column: 502, doc: 'Last name', optional: true, maxLength: 1024 }) last_name?: string;
  @Field.text({ column: 503, doc: 'Second name', optional: true, maxLength: 1024 }) second_name?: string;
  @Field.text({ column: 504, doc: 'Suffix', optional: true, maxLength: 1024 }) suffix?: string;
  @Field.text({ column: 505, doc: 'Title', optional: true, maxLength: 1024 }) title?: string;
  @Field.text({ column: 506, doc: 'Street home', optional: true, maxLength: 1024 }) street_home?: string;
  @Field.text({ column: 507, doc: 'Postal code home', optional: true, maxLength: 1024 }) postal_code_home?: string;
  @Field.text({ column: 508, doc: 'City home', optional: true, maxLength: 1024 }) city_home?: string;
  @Field.text({ column: 509, doc: 'State home', optional: true, maxLength: 1024 }) state_home?: string;
  @Field.text({ column: 510, doc: 'Country home', optional: true, maxLength: 1024 }) country_home?: string;
  @Field.date({ column: 511, doc: 'Birthday, midnight UTC', optional: true }) birthday?: number;
  @Field.text({ column: 512, doc: 'Marital status', optional: true, maxLength: 1024 }) marital_status?: string;
  @Field.text({ column: 513, doc: 'Number of children', optional: true, maxLength: 1024 }) number_of_children?: string;
  @Field.text({ column: 514, doc: 'Profession', optional: true, maxLength: 1024 }) profession?: string;
  @Field.text({ column: 515, doc: 'Nickname', optional: true, maxLength: 1024 }) nickname?: string;
  @Field.text({ column: 516, doc: 'Spouse name', optional: true, maxLength: 1024 }) spouse_name?: string;
  @Field.date({ column: 517, doc: 'Anniversary, midnight UTC', optional: true }) anniversary?: number;
  @Field.text({ column: 518, doc: 'Note', optional: true, maxLength: 65536 }) note?: string;
  @Field.text({ column: 519, doc: 'Department', optional: true, maxLength: 1024 }) department?: string;
  @Field.text({ column: 520, doc: 'Position', optional: true, maxLength: 1024 }) position?: string;
  @Field.text({ column: 521, doc: 'Employee type', optional: true, maxLength: 1024 }) employee_type?: string;
  @Field.text({ column: 522, doc: 'Room number', optional: true, maxLength: 1024 }) room_number?: string;
  @Field.text({ column: 523, doc: 'Street business', optional: true, maxLength: 1024 }) street_business?: string;
  @Field.text({ column: 525, doc: 'Postal code business', optional: true, maxLength: 1024 })
  postal_code_business?: string;
  @Field.text({ column: 526, doc: 'City business', optional: true, maxLength: 1024 }) city_business?: string;
  @Field.text({ column: 527, doc: 'State business', optional: true, maxLength: 1024 }) state_business?: string;
  @Field.text({ column: 528, doc: 'Country business', optional: true, maxLength: 1024 }) country_business?: string;
  @Field.text({ column: 529, doc: 'Number of employees', optional: true, maxLength: 1024 })
  number_of_employees?: string;
  @Field.text({ column: 530, doc: 'Sales volume', optional: true, maxLength: 1024 }) sales_volume?: string;
  @Field.text({ column: 531, doc: 'Tax id', optional: true, maxLength: 1024 }) tax_id?: string;
  @Field.text({ column: 532, doc: 'Commercial register', optional: true, maxLength: 1024 })
  commercial_register?: string;
  @Field.text({ column: 533, doc: 'Branches', optional: true, maxLength: 1024 }) branches?: string;
  @Field.text({ column: 534, doc: 'Business category', optional: true, maxLength: 1024 }) business_category?: string;
  @Field.text({ column: 535, doc: 'Info', optional: true, maxLength: 1024 }) info?: string;
  @Field.text({ column: 536, doc: 'Manager name', optional: true, maxLength: 1024 }) manager_name?: string;
  @Field.text({ column: 537, doc: 'Assistant name', optional: true, maxLength: 1024 }) assistant_name?: string;
  @Field.text({ column: 538, doc: 'Street other', optional: true, maxLength: 1024 }) street_other?: string;
  @Field.text({ column: 539, doc: 'City other', optional: true, maxLength: 1024 }) city_other?: string;
  @Field.text({ column: 540, doc: 'Postal code other', optional: true, maxLength: 1024 }) postal_code_other?: string;
  @Field.text({ column: 541, doc: 'Country other', optional: true, maxLength: 1024 }) country_other?: string;
  @Field.text({ column: 542, doc: 'Telephone business 1', optional: true, maxLength: 1024 })
  telephone_business1?: string;
  @Field.text({ column: 543, doc: 'Telephone business 2', optional: true, maxLength: 1024 })
  telephone_business2?: string;
  @Field.text({ column: 544, doc: 'Fax business', optional: true, maxLength: 1024 }) fax_business?: string;
  @Field.text({ column: 545, doc: 'Telephone callback', optional: true, maxLength: 1024 }) telephone_callback?: string;
  @Field.text({ column: 546, doc: 'Telephone car', optional: true, maxLength: 1024 }) telephone_car?: string;
  @Field.text({ column: 547, doc: 'Telephone company', optional: true, maxLength: 1024 }) telephone_company?: string;
  @Field.text({ column: 548, doc: 'Telephone home 1', optional: true, maxLength: 1024 }) telephone_home1?: string;
  @Field.text({ column: 549, doc: 'Telephone home 2', optional: true, maxLength: 1024 }) telephone_home2?: string;
  @Field.text({ column: 550, doc: 'Fax home', optional: true, maxLength: 1024 }) fax_home?: string;
  @Field.text({ column: 551, doc: 'Cellular telephone 1', optional: true, maxLength: 1024 })
  cellular_telephone1?: string;
  @Field.text({ column: 552, doc: 'Cellular telephone 2', optional: true, maxLength: 1024 })
  cellular_telephone2?: string;
  @Field.text({ column: 553, doc: 'Telephone other', optional: true, maxLength: 1024 }) telephone_other?: string;
  @Field.text({ column: 554, doc: 'Fax other', optional: true, maxLength: 1024 }) fax_other?: string;
  @Field.text({ column: 555, doc: 'Email 1', optional: true, maxLength: 1024 }) email1?: string;
  @Field.text({ column: 556, doc: 'Email 2', optional: true, maxLength: 1024 }) email2?: string;
  @Field.text({ column: 557, doc: 'Email 3', optional: true, maxLength: 1024 }) email3?: string;
  @Field.text({ column: 558, doc: 'Url', optional: true, maxLength: 1024 }) url?: string;
  @Field.text({ column: 559, doc: 'Telephone isdn', optional: true, maxLength: 1024 }) telephone_isdn?: string;
  @Field.text({ column: 560, doc: 'Telephone pager', optional: true, maxLength: 1024 }) telephone_pager?: string;
  @Field.text({ column: 561, doc: 'Telephone primary', optional: true, maxLength: 1024 }) telephone_primary?: string;
  @Field.text({ column: 562, doc: 'Telephone radio', optional: true, maxLength: 1024 }) telephone_radio?: string;
  @Field.text({ column: 563, doc: 'Telephone telex', optional: true, maxLength: 1024 }) telephone_telex?: string;
  @Field.text({ column: 564, doc: 'Telephone ttytdd', optional: true, maxLength: 1024 }) telephone_ttytdd?: string;
  @Field.text({ column: 565, doc: 'Instant messenger 1', optional: true, maxLength: 1024 }) instant_messenger1?: string;
  @Field.text({ column: 566, doc: 'Instant messenger 2', optional: true, maxLength: 1024 }) instant_messenger2?: string;
  @Field.text({ column: 567, doc: 'Telephone ip', optional: true, maxLength: 1024 }) telephone_ip?: string;
  @Field.text({ column: 568, doc: 'Telephone assistant', optional: true, maxLength: 1024 })
  telephone_assistant?: string;
  @Field.text({ column: 569, doc: 'Company', optional: true, maxLength: 1024 }) company?: string;
  @Field.text({ column: 571, doc: 'Free field 01', optional: true, maxLength: 1024 }) userfield01?: string;
  @Field.text({ column: 572, doc: 'Free field 02', optional: true, maxLength: 1024 }) userfield02?: string;
  @Field.text({ column: 573, doc: 'Free field 03', optional: true, maxLength: 1024 }) userfield03?: string;
  @Field.text({ column: 574, doc: 'Free field 04', optional: true, maxLength: 1024 }) userfield04?: string;
  @Field.text({ column: 575, doc: 'Free field 05', optional: true, maxLength: 1024 }) userfield05?: string;
  @Field.text({ column: 576, doc: 'Free field 06', optional: true, maxLength: 1024 }) userfield06?: string;
  @Field.text({ column: 577, doc: 'Free field 07', optional: true, maxLength: 1024 }) userfield07?: string;
  @Field.text({ column: 578, doc: 'Free field 08', optional: true, maxLength: 1024 }) userfield08?: string;
  @Field.text({ column: 579, doc: 'Free field 09', optional: true, maxLength: 1024 }) userfield09?: string;
  @Field.text({ column: 580, doc: 'Free field 10', optional: true, maxLength: 1024 }) userfield10?: string;
  @Field.text({ column: 581, doc: 'Free field 11', optional: true, maxLength: 1024 }) userfield11?: string;
  @Field.text({ column: 582, doc: 'Free field 12', optional: true, maxLength: 1024 }) userfield12?: string;
  @Field.text({ column: 583, doc: 'Free field 13', optional: true, maxLength: 1024 }) userfield13?: string;
  @Field.text({ column: 584, doc: 'Free field 14', optional: true, maxLength: 1024 }) userfield14?: string;
  @Field.text({ column: 585, doc: 'Free field 15', optional: true, maxLength: 1024 }) userfield15?: string;
  @Field.text({ column: 586, doc: 'Free field 16', optional: true, maxLength: 1024 }) userfield16?: string;
  @Field.text({ column: 587, doc: 'Free field 17', optional: true, maxLength: 1024 }) userfield17?: string;
  @Field.text({ column: 588, doc: 'Free field 18', optional: true, maxLength: 1024 }) userfield18?: string;
  @Field.text({ column: 589, doc: 'Free field 19', optional: true, maxLength: 1024 }) userfield19?: string;
  @Field.text({ column: 590, doc: 'Free field 20', optional: true, maxLength: 1024 }) userfield20?: string;
  @Field.text({ column: 598, doc: 'State other', optional: true, maxLength: 1024 }) state_other?: string;
  @Field.text({ column: 599, doc: 'File as', optional: true, maxLength: 1024 }) file_as?: string;
  // Contacts have columns for these, whose numbers mean other things with users.
  @Field.text({ doc: 'First name as it is read aloud', optional: true, maxLength: 1024 }) yomiFirstName?: string;
  @Field.text({ doc: 'Last name as it is read aloud', optional: true, maxLength: 1024 }) yomiLastName?: string;
  @Field.text({ doc: 'Company as it is read aloud', optional: true, maxLength: 1024 }) yomiCompany?: string;
  @Field.text({ doc: 'Home address in one text', optional: true, maxLength: 1024 }) addressHome?: string;
  @Field.text({ doc: 'Business address in one text', optional: true, maxLength: 1024 }) addressBusiness?: string;
  @Field.text({ doc: 'Other address in one text', optional: true, maxLength: 1024 }) addressOther?: string;
}

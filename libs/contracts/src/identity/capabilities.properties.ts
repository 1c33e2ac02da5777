import { property } from '../kit';

/** Capabilities that are served beside this product. */
export const CAPABILITIES_SERVED_ELSEWHERE = property<string>({
  key: 'com.example.capabilities.servedElsewhere',
  default: '',
  doc: 'Capabilities that this product lacks while another server beside it has them, separated by commas, such as caldav,carddav. Users who were granted them are told of them; of other capabilities without a module nobody is. webmail here tells users of mail where only they have mail servers, and com.example.mail.mailServer is empty.',
});

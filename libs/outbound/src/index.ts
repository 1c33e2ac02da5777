export { readHost, type HostName } from './host-name';
export { MAX_ADDRESSES, type Connector } from './connector';
export { CertificateFailure, OutboundFailure, type OutboundReason, type PeerCertificate } from './outbound-failure';
export {
  certificateFailureOf,
  OutboundGuard,
  type AdmittedTarget,
  type OutboundParts,
  type OutboundTarget,
} from './outbound-guard';
export { outboundProviders } from './outbound-providers';
export { OutboundSettings, Ports } from './outbound-settings';
export { PortList } from './ports';
export { type Resolver } from './resolver';
export {
  WebClient,
  type StreamAnswer,
  type StreamRequest,
  type WebAnswer,
  type WebMethod,
  type WebRequest,
} from './web-client';

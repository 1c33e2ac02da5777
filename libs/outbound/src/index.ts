export { AddressRule, readRange, type AddressRange } from './address-rule';
export { readHost, type HostName } from './host-name';
export { TcpConnector, MAX_ADDRESSES, type Connector } from './connector';
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
export { PortList, readPorts, type PortRange } from './ports';
export { NameServers, type Resolver, type ServiceRecord } from './resolver';
export { WebClient, type WebAnswer, type WebRequest } from './web-client';
export { withEvenFailures } from './even-time';

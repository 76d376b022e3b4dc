import {
  containersOf,
  podOf,
  saying,
  type Container,
  type Pod,
  type ResourceRule,
} from './workload.ts';

/**
 * Checks every control of the restricted level of Kubernetes' Pod Security Standards, and also that
 * the root file system is read-only. An admission controller checks only pods, when they start.
 * Here the Deployment is refused before it is created.
 */

const allowedSysctls = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.tcp_wmem',
]);

const allowedVolumes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const allowedSeLinux = new Set([
  '',
  'container_t',
  'container_init_t',
  'container_kvm_t',
  'container_engine_t',
]);
const confinedBySeccomp = new Set(['RuntimeDefault', 'Localhost']);
const confinedByAppArmor = new Set(['RuntimeDefault', 'Localhost']);
/** The older way to name a profile of AppArmor, which Kubernetes still accepts. */
const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/';

type Security = Pick<
  Container['securityContext'],
  'appArmorProfile' | 'seLinuxOptions' | 'windowsOptions' | 'runAsUser'
>;

/** Checks the controls that apply both to the pod's section and to each container's section. */
const sectionBreaks = (subject: string, security: Security): readonly string[] => [
  ...saying(`${subject} runs as root: runAsUser must not be 0`, security.runAsUser === 0),
  ...saying(
    `${subject} is not confined by AppArmor: leave the profile out, or set RuntimeDefault`,
    security.appArmorProfile !== undefined &&
      !confinedByAppArmor.has(security.appArmorProfile.type),
  ),
  ...saying(
    `${subject} changes the SELinux type, user or role: leave them out`,
    security.seLinuxOptions !== undefined &&
      (!allowedSeLinux.has(security.seLinuxOptions.type ?? '') ||
        (security.seLinuxOptions.user ?? '') !== '' ||
        (security.seLinuxOptions.role ?? '') !== ''),
  ),
  ...saying(
    `${subject} is a process of the Windows node: leave hostProcess out`,
    security.windowsOptions?.hostProcess === true,
  ),
];

const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container) =>
  [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap(
    (action) => [action?.httpGet?.host, action?.tcpSocket?.host].filter(Boolean),
  );

const containerBreaks = (pod: Pod, container: Container): readonly string[] => {
  const { name, securityContext: security, ports } = container;
  const subject = `container ${name}`;
  const seccomp = security.seccompProfile ?? pod.securityContext.seccompProfile;
  return [
    ...sectionBreaks(subject, security),
    ...saying(`${subject} is privileged`, security.privileged === true),
    ...saying(
      `${subject} may gain privileges: set allowPrivilegeEscalation to false`,
      security.allowPrivilegeEscalation !== false,
    ),
    ...saying(
      `${subject} may run as root: set runAsNonRoot to true`,
      (security.runAsNonRoot ?? pod.securityContext.runAsNonRoot) !== true,
    ),
    ...saying(
      `${subject} keeps capabilities: drop ALL and add none but NET_BIND_SERVICE`,
      security.capabilities?.drop?.includes('ALL') !== true ||
        (security.capabilities.add ?? []).some((added) => added !== 'NET_BIND_SERVICE'),
    ),
    ...saying(
      `${subject} may make any system call: set seccompProfile to RuntimeDefault`,
      seccomp === undefined || !confinedBySeccomp.has(seccomp.type),
    ),
    ...saying(
      `${subject} can write its root file system: set readOnlyRootFilesystem to true`,
      security.readOnlyRootFilesystem !== true,
    ),
    ...saying(
      `${subject} sees all of /proc: leave procMount out`,
      security.procMount !== undefined && security.procMount !== 'Default',
    ),
    ...saying(
      `${subject} takes a port of the node: use a Service`,
      ports.some(({ hostPort }) => hostPort !== undefined && hostPort !== 0),
    ),
    ...saying(
      `${subject} is probed at another host: leave the host of its probes out`,
      hostsOf(container).length > 0,
    ),
  ];
};

const volumeBreaks = ({ name, ...kinds }: Pod['volumes'][number]): readonly string[] =>
  Object.keys(kinds).flatMap((kind) =>
    saying(
      `volume ${name} is a ${kind}: allowed are ${[...allowedVolumes].join(', ')}`,
      !allowedVolumes.has(kind),
    ),
  );

const annotationBreaks = ({ annotations }: Pod): readonly string[] =>
  Object.entries(annotations).flatMap(([name, value]) =>
    saying(
      `container ${name.slice(appArmorAnnotation.length)} is not confined by AppArmor: leave the ` +
        'annotation out, or set runtime/default',
      name.startsWith(appArmorAnnotation) &&
        !/^(?:runtime\/default|localhost\/.*)?$/u.test(String(value)),
    ),
  );

/** Refuses a pod with more than the restricted level of Pod Security allows. */
export const restrictedPods: ResourceRule = (type, props) => {
  const pod = podOf(type, props);
  if (pod === undefined) return [];
  return [
    ...saying("it uses the node's network", pod.hostNetwork),
    ...saying("it sees the node's processes", pod.hostPID || pod.hostIPC),
    ...sectionBreaks('the pod', pod.securityContext),
    ...pod.securityContext.sysctls.flatMap(({ name }) =>
      saying(`it sets ${name} of the node's kernel`, !allowedSysctls.has(name)),
    ),
    ...pod.volumes.flatMap(volumeBreaks),
    ...annotationBreaks(pod),
    ...containersOf(pod).flatMap((container) => containerBreaks(pod, container)),
  ];
};

/** Refuses a container that could take all memory of its node. */
export const limitedContainers: ResourceRule = (type, props) => {
  const pod = podOf(type, props);
  if (pod === undefined) return [];
  return [...pod.initContainers, ...pod.containers].flatMap(({ name, resources }) =>
    saying(
      `container ${name} has no limit of its memory: set resources.limits.memory`,
      resources.limits['memory'] === undefined,
    ),
  );
};

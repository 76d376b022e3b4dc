import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { StackConfig } from '../config/stack-config.ts';
import { releaseName } from '../processes.ts';
import { chartValues, testbedValues } from '../values/chart-values.ts';
import type { Foundation } from './foundation.ts';

/** The path from the folder of the program's entry, where Pulumi runs it. */
const chartsFolder = '../../charts';

/** The values with the testbed's collaborators, their addresses and their network rules. */
const testbedFile = `${chartsFolder}/${releaseName}/ci/testbed-values.yaml`;

/** The parts of an application. */
export interface ApplicationArgs {
  readonly config: StackConfig;
  readonly foundation: Foundation;
}

/**
 * Installs the chart, and with `testbed` also the testbed. Each object is a resource of the stack.
 */
export class Application extends pulumi.ComponentResource {
  /** The name of the release, which is in the chart's labels. */
  readonly release: pulumi.Output<string>;

  constructor(
    name: string,
    { config, foundation }: ApplicationArgs,
    options: pulumi.ComponentResourceOptions,
  ) {
    super('digital-gold:deploy:Application', name, {}, options);
    const { namespace, names } = foundation;
    const testbed = config.testbed
      ? [
          new kubernetes.helm.v4.Chart(
            'testbed',
            {
              chart: `${chartsFolder}/digital-gold-testbed`,
              namespace,
              values: testbedValues(config),
            },
            { parent: this },
          ),
        ]
      : [];
    const chart = new kubernetes.helm.v4.Chart(
      releaseName,
      {
        ...config.chart,
        name: releaseName,
        namespace,
        values: chartValues(config, names),
        valueYamlFiles: config.testbed ? [new pulumi.asset.FileAsset(testbedFile)] : [],
      },
      { parent: this },
    );
    // The name is known when every object of the chart exists and is ready.
    this.release = pulumi
      .all([chart.resources, ...testbed.map(({ resources }) => resources)])
      .apply(() => releaseName);
    this.registerOutputs({ release: this.release });
  }
}

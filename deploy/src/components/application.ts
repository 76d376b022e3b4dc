import * as kubernetes from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { StackConfig } from '../config/stack-config.ts';
import { releaseName } from '../processes.ts';
import { chartValues, testbedValues } from '../values/chart-values.ts';
import type { Foundation } from './foundation.ts';

/** From the folder that holds the program's entry, where Pulumi runs it. */
const chartsFolder = '../../charts';

/** The collaborators' addresses and the ways to them, as the testbed has them. */
const testbedFile = `${chartsFolder}/${releaseName}/ci/testbed-values.yaml`;

/** What an application is made of. */
export interface ApplicationArgs {
  readonly config: StackConfig;
  readonly foundation: Foundation;
}

/** Installs the chart, in dev after the testbed, each object as a resource of the stack. */
export class Application extends pulumi.ComponentResource {
  /** The name of the release, which the chart's labels carry. */
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
    // Known when every object of the chart is there and ready.
    this.release = pulumi
      .all([chart.resources, ...testbed.map(({ resources }) => resources)])
      .apply(() => releaseName);
    this.registerOutputs({ release: this.release });
  }
}

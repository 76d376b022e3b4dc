import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import {
  databaseAddresses,
  databaseName,
  redisAddress,
  type Passwords,
} from '../shared/addresses.ts';
import type { EksSettings } from './settings.ts';

interface StoresArgs {
  readonly settings: EksSettings;
  readonly passwords: Passwords;
  /** Lets the nodes connect, by their security group. */
  readonly clientsId: pulumi.Input<string>;
  /** The password of the cache, 16 to 128 printable characters. */
  readonly cachePassword: pulumi.Input<string>;
}

/**
 * Creates the database and the cache. Each is in two zones, is encrypted and can be reached only by
 * the nodes.
 */
export class EksStores extends pulumi.ComponentResource {
  readonly databaseUrl: pulumi.Output<string>;
  readonly migrateDatabaseUrl: pulumi.Output<string>;
  readonly redisUrl: pulumi.Output<string>;

  constructor(name: string, args: StoresArgs, options?: pulumi.ComponentResourceOptions) {
    super('digital-gold:examples:EksStores', name, {}, options);
    const database = this.#createDatabase(`${name}-database`, args);
    const cache = this.#createCache(`${name}-cache`, args);
    const addresses = databaseAddresses(database.address, args.passwords);
    this.databaseUrl = addresses.databaseUrl;
    this.migrateDatabaseUrl = addresses.migrateDatabaseUrl;
    this.redisUrl = redisAddress(cache.primaryEndpointAddress, 6379, args.cachePassword);
    this.registerOutputs({
      databaseUrl: this.databaseUrl,
      migrateDatabaseUrl: this.migrateDatabaseUrl,
      redisUrl: this.redisUrl,
    });
  }

  /** Creates a security group that lets the nodes in on one port, and nothing out. */
  #createFence(name: string, { settings, clientsId }: StoresArgs, port: number) {
    const fence = new aws.ec2.SecurityGroup(
      name,
      { vpcId: settings.vpcId, description: `Port ${port} from the nodes` },
      { parent: this },
    );
    new aws.vpc.SecurityGroupIngressRule(
      name,
      {
        securityGroupId: fence.id,
        referencedSecurityGroupId: clientsId,
        ipProtocol: 'tcp',
        fromPort: port,
        toPort: port,
      },
      { parent: this },
    );
    return fence;
  }

  #createDatabase(name: string, args: StoresArgs): aws.rds.Instance {
    const parent = { parent: this };
    const subnets = new aws.rds.SubnetGroup(
      name,
      { subnetIds: [...args.settings.storeSubnets] },
      parent,
    );
    const parameters = new aws.rds.ParameterGroup(
      name,
      { family: 'postgres15', parameters: [{ name: 'rds.force_ssl', value: '1' }] },
      parent,
    );
    return new aws.rds.Instance(
      name,
      {
        engine: 'postgres',
        engineVersion: '15',
        instanceClass: 'db.m7g.large',
        dbName: databaseName,
        // Its password is made by RDS and kept in Secrets Manager: no state holds it.
        username: 'administrator',
        manageMasterUserPassword: true,
        storageType: 'gp3',
        allocatedStorage: 100,
        maxAllocatedStorage: 1000,
        storageEncrypted: true,
        multiAz: true,
        publiclyAccessible: false,
        dbSubnetGroupName: subnets.name,
        vpcSecurityGroupIds: [this.#createFence(name, args, 5432).id],
        parameterGroupName: parameters.name,
        backupRetentionPeriod: 35,
        copyTagsToSnapshot: true,
        deletionProtection: true,
        skipFinalSnapshot: false,
        finalSnapshotIdentifier: `${name}-last`,
      },
      { ...parent, protect: true },
    );
  }

  #createCache(name: string, args: StoresArgs): aws.elasticache.ReplicationGroup {
    const parent = { parent: this };
    const subnets = new aws.elasticache.SubnetGroup(
      name,
      { subnetIds: [...args.settings.storeSubnets] },
      parent,
    );
    return new aws.elasticache.ReplicationGroup(
      name,
      {
        description: 'Cache of the digital gold service',
        engine: 'redis',
        engineVersion: '7.1',
        nodeType: 'cache.t4g.small',
        numCacheClusters: 2,
        automaticFailoverEnabled: true,
        multiAzEnabled: true,
        atRestEncryptionEnabled: true,
        transitEncryptionEnabled: true,
        authToken: args.cachePassword,
        subnetGroupName: subnets.name,
        securityGroupIds: [this.#createFence(name, args, 6379).id],
      },
      parent,
    );
  }
}

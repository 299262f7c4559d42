import { Cluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1';

import type { Manifest } from '../build/manifests.js';

/**
 * An ObjectStore of CloudNativePG's Barman Cloud plugin. No package describes it; its fields are those of the former
 * `backup` of a Cluster. https://cloudnative-pg.io/plugin-barman-cloud/docs/concepts/
 */
export class ObjectStore implements Manifest {
  declare readonly apiVersion: string;
  declare readonly kind: string;
  declare readonly metadata: Manifest['metadata'];
  declare readonly spec: { configuration: object; retentionPolicy?: string };

  validate(): void {
    const { configuration: barmanObjectStore, retentionPolicy } = this.spec;
    Cluster.prototype.validate.call({
      apiVersion: this.apiVersion && Cluster.apiVersion,
      kind: this.kind && Cluster.kind,
      metadata: this.metadata,
      spec: { instances: 1, backup: { barmanObjectStore, retentionPolicy } },
    });
  }
}

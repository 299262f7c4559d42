import { parseAllDocuments } from 'yaml';

/** The fields common to all Kubernetes objects. The types of each kind are in kubernetes-models. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
}

/** The objects of a variant, as built by kustomize. */
export class Manifests {
  readonly all: Manifest[];

  constructor(all: Manifest[]) {
    this.all = all;
  }

  /** @throws Error at a duplicate key in an object */
  static parse(text: string): Manifests {
    return new Manifests(
      parseAllDocuments(text, { uniqueKeys: true }).map((document) => {
        const [error] = document.errors;
        if (error) throw error;
        return document.toJS() as Manifest;
      }),
    );
  }

  of<Kind extends { kind: string }>(kind: Kind['kind']): (Kind & Manifest)[] {
    return this.all.filter((manifest) => manifest.kind === kind) as (Kind & Manifest)[];
  }

  find<Kind extends { kind: string }>(
    kind: Kind['kind'],
    name: string,
  ): (Kind & Manifest) | undefined {
    return this.of<Kind>(kind).find(({ metadata }) => metadata.name === name);
  }

  /** @throws Error if there is none */
  get<Kind extends { kind: string }>(kind: Kind['kind'], name: string): Kind & Manifest {
    const found = this.find<Kind>(kind, name);
    if (!found) throw new Error(`There is no ${kind} ${name}.`);
    return found;
  }

  has(kind: string, name: string): boolean {
    return this.all.some((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  }
}

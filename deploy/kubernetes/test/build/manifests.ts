import { parseAllDocuments } from 'yaml';

/** What all objects of Kubernetes have. Their kinds' own types come from kubernetes-models. */
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

/** The objects that a variant consists of, as kustomize wrote them. */
export class Manifests {
  readonly all: Manifest[];

  constructor(all: Manifest[]) {
    this.all = all;
  }

  /** @throws Error at a key that an object has twice */
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

  /** @throws Error where there is none */
  get<Kind extends { kind: string }>(kind: Kind['kind'], name: string): Kind & Manifest {
    const found = this.find<Kind>(kind, name);
    if (!found) throw new Error(`There is no ${kind} ${name}.`);
    return found;
  }

  has(kind: string, name: string): boolean {
    return this.all.some((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  }
}

import { expectThat } from '@digital-gold/backend/demo';
import type { ClusterStep } from '../cluster.types.ts';
import { countByComponent, listPods } from '../list-pods.ts';
import { readPlaces } from '../read-places.ts';
import { processPods } from '../release.ts';
import { upgradeService } from '../upgrade-service.ts';

/** The chart: helm waits until every pod is ready, and so for the migrations. */
export const installService: ClusterStep = {
  title: 'The service',
  async run(world) {
    world.keep('roll', 'none');
    await upgradeService(world);
    const pods = await listPods(world, processPods);
    const staying = pods.filter(({ isLeaving }) => !isLeaving);
    const unready = staying.filter(({ isReady }) => !isReady).map(({ name }) => name);
    expectThat(unready.length === 0, `not ready: ${unready.join(', ')}`);
    const places = await readPlaces(world);
    world.keep('places', places);
    return [
      `ready: ${countByComponent(staying)}; the migrations are applied`,
      ...Object.values(places).map(({ host, address, port }) => `${host} at ${address}:${port}`),
    ];
  },
};

import { ofPeople } from './triggers-of-customers.ts';
import { ofGoods } from './triggers-of-goods.ts';
import { ofGold } from './triggers-of-gold.ts';
import { ofMoney } from './triggers-of-money.ts';

/** Every trigger but those that keep tables append-only, which the tests of grants try. */
export const triggerCases = [...ofPeople, ...ofGold, ...ofMoney, ...ofGoods];

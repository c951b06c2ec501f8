-- What may be spent over all evaluations; see dev.seatrial.domain.money.SpendLimits. An empty account stands for all
-- together. Currency, zone and rates are the same in every row.

create table spend_limit (
    account  text   not null,
    period   text   not null,
    amount   bigint not null check (amount >= 0),
    currency text   not null,
    zone     text   not null,
    fx       text   not null,
    position bigint not null,
    primary key (account, period)
);

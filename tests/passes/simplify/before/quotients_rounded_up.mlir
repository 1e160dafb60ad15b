!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %four = "py.constant"() {value = "4", at = "2:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "3:4"} : () -> !int
  %cores = "asc.get_block_num"() {form = "", at = "4:4"} : () -> !int
  %size = "asc.get_data_block_size_in_bytes"() {form = "", at = "5:4"} : () -> !int
  %na = "py.unary"(%core) {operator = "neg", at = "6:4"} : (!int) -> !int
  %qa = "py.binary"(%na, %four) {operator = "floordiv", at = "7:4"} : (!int, !int) -> !int
  %a = "py.unary"(%qa) {operator = "neg", at = "8:4"} : (!int) -> !int
  %nb = "py.unary"(%core) {operator = "neg", at = "9:4"} : (!int) -> !int
  %qb = "py.binary"(%nb, %cores) {operator = "floordiv", at = "10:4"} : (!int, !int) -> !int
  %b = "py.unary"(%qb) {operator = "neg", at = "11:4"} : (!int) -> !int
  %nc = "py.unary"(%size) {operator = "neg", at = "12:4"} : (!int) -> !int
  %qc = "py.binary"(%nc, %four) {operator = "floordiv", at = "13:4"} : (!int, !int) -> !int
  %c = "py.unary"(%qc) {operator = "neg", at = "14:4"} : (!int) -> !int
  %nd = "py.unary"(%size) {operator = "neg", at = "15:4"} : (!int) -> !int
  %qd = "py.binary"(%nd, %cores) {operator = "floordiv", at = "16:4"} : (!int, !int) -> !int
  %d = "py.unary"(%qd) {operator = "neg", at = "17:4"} : (!int) -> !int
  %s = "py.binary"(%core, %four) {operator = "add", at = "18:4"} : (!int, !int) -> !int
  %ne = "py.unary"(%s) {operator = "neg", at = "19:4"} : (!int) -> !int
  %qe = "py.binary"(%ne, %four) {operator = "floordiv", at = "20:4"} : (!int, !int) -> !int
  %e = "py.unary"(%qe) {operator = "neg", at = "21:4"} : (!int) -> !int
  "asc.printf"(%a, %b, %c, %d, %e) {form = "desc: text, arguments: rest", format = "shown", at = "22:4"} : (!int, !int, !int, !int, !int) -> ()
}) {sym_name = "quotients_rounded_up", parameters = ["n", "m", "x"]} : () -> ()
